// SPDX-License-Identifier: Apache-2.0
// What a user gets wrong with `tsunagi trace`, and a file that cannot be written.
#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/perfetto.hpp"
#include "support/program.hpp"
#include "support/refused.hpp"
#include "support/temporary_folder.hpp"

namespace trace_refused_test {

using namespace tsunagi::test;

namespace {

const std::string configs = TSUNAGI_TEST_CONFIGS;
const std::string pio = configs + "/runs/tca_pio_ping_pong.json";

/// A wrong call; the file that was there is kept.
void expect_trace_refused(std::vector<std::string> arguments, const std::string& says) {
  const TemporaryFolder folder;
  const auto file = folder.write("out", "old");
  arguments.insert(arguments.begin(), "trace");
  if (std::find(arguments.begin(), arguments.end(), "--out") == arguments.end())
    arguments.insert(arguments.end(), {"--out", file.string()});
  expect_refused(arguments, says);
  CHECK(content(file) == "old");
}

}  // namespace

TEST_CASE("trace without a place to write to, or with one that cannot be") {
  const Ended end = run_program({"trace", pio});
  CHECK(end.exit_code == 2);
  CHECK_THAT(end.err, Catch::Contains("where to? usage: tsunagi trace RUN.json --out FILE"));
  expect_trace_refused({pio, "--out", "/nonexistent/trace.json"}, "there is no folder /nonexistent");
  expect_trace_refused({pio, "--out", "/tmp"}, "it is a folder");
  expect_trace_refused({pio, "--out", ""}, "without a name");
}

TEST_CASE("trace of no run, of none that is there, and of what is none") {
  expect_trace_refused({}, "which run? usage: tsunagi trace RUN.json");
  expect_trace_refused({"nowhere.json"}, "nowhere.json: cannot be read: No such file");
  expect_trace_refused({configs + "/machines/tca_pair.json"}, "is no run, but of type \"machine\"");
}

TEST_CASE("trace with an option or a format that is misspelt") {
  expect_trace_refused({pio, "--form", "vcd"}, "did you mean \"--from\"");
  expect_trace_refused({pio, "--format", "vdc"}, "did you mean \"vcd\"");
}

TEST_CASE("trace of a window that is none") {
  expect_trace_refused({pio, "--from", "2 us", "--to", "1 us"}, "a window from 2 us to 1 us is empty");
  expect_trace_refused({pio, "--from", "5"}, "--from: \"5\" needs a unit, for example \"120 ns\"");
  expect_trace_refused({pio, "--to", "5 B"}, "--to: unknown unit \"B\"");
}

TEST_CASE("trace up to a size that is none") {
  expect_trace_refused({pio, "--limit-size", "5"}, "--limit-size: \"5\" needs a unit");
  expect_trace_refused({pio, "--limit-size", "0 B"}, "--limit-size must not be 0 B");
}

TEST_CASE("trace of a config that is refused, at once or by the machine, keeps the file that was there") {
  expect_trace_refused({pio, "--set", "/scenario/iteration=3"}, "did you mean \"iterations\"");
  expect_trace_refused({pio, "--set", "/scenario/methods=[\"pigeon\"]"}, "the library has no method \"pigeon\"");
}

TEST_CASE("a trace for which there is no room ends with 1 and the reason") {
  const Ended end = run_program({"trace", pio, "--out", "/dev/full"});
  CHECK(end.exit_code == 1);
  CHECK(end.out.empty());
  CHECK_THAT(end.err, Catch::Contains("cannot write /dev/full: No space left"));
}

TEST_CASE("a trace whose header has no room leaves no file that seems to be one, one with more ends whole") {
  for (const char* name : {"t.json", "t.pftrace", "t.vcd"}) {
    const TemporaryFolder folder;
    const auto file = folder.path() / name;
    Surroundings full;
    full.largest_file = 20;
    Ended end = run_program({"trace", pio, "--out", file.string()}, full);
    CHECK(end.exit_code == 1);
    CHECK_FALSE(std::filesystem::exists(file));
    full.largest_file = 20000;
    end = run_program({"trace", pio, "--out", file.string()}, full);
    CAPTURE(end.err);
    CHECK(end.exit_code == 1);
    CHECK_THAT(end.err, Catch::Contains("cannot write " + file.string() + ": File too large") &&
                            Catch::Contains(file.string() + " is cut short at "));
    const std::string text = content(file);
    CHECK(text.size() <= 20000);
    if (std::string(name) == "t.json") CHECK_NOTHROW(nlohmann::json::parse(text));
    if (std::string(name) == "t.pftrace") CHECK(whole_packets(text).value_or(0) > 100);
  }
}

TEST_CASE("with standard output closed nothing is written in its place") {
  const TemporaryFolder folder;
  const auto told = folder.path() / "err";
  for (const std::string& command :
       {"trace " + pio + " --out -", "run " + pio, "draw " + pio, "run " + pio + " --out -"}) {
    CAPTURE(command);
    const std::string line = "cd " + folder.path().string() + "; \"$TSUNAGI_BIN\" " + command + " >&- 2> err";
    CHECK(WEXITSTATUS(std::system(line.c_str())) == 2);
    CHECK_THAT(content(told), Catch::Contains("standard output is closed"));
    CHECK_FALSE(std::filesystem::exists(folder.path() / "-"));
  }
}

}  // namespace trace_refused_test
