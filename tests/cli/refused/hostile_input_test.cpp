// SPDX-License-Identifier: Apache-2.0
// Input that nobody writes by mistake: no crash, no hang, nothing that a terminal would obey, one message.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/refused.hpp"
#include "support/sanitized.hpp"
#include "support/temporary_folder.hpp"

namespace hostile_input_test {

using namespace tsunagi::test;

namespace {

const std::string configs = TSUNAGI_TEST_CONFIGS;
const std::string run_file = configs + "/runs/tca_pio_ping_pong.json";

/// Nothing in it moves the cursor, colours or rings.
bool is_tame(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return (c >= 0x20 && c != 0x7f) || c == '\n'; });
}

/// A wrong call, told in one tame line.
void expect_tamely_refused(const std::vector<std::string>& arguments, const std::string& says) {
  const Ended end = expect_refused(arguments, says);
  CAPTURE(arguments, end.err);
  CHECK(is_tame(end.err));
  CHECK_THAT(end.err, !Catch::Contains("json.exception"));
}

/// A machine of groups inside each other; a root complex and its memory in the innermost.
std::string nested_groups(int groups) {
  const std::string parts = configs + "/parts/";
  std::string device =
      R"({"kind": "group", "devices": {"rc": {"$use": ")" + parts +
      R"(sandy_bridge_ep_root_complex.json"}, "memory": {"$use": ")" + parts +
      R"(sandy_bridge_ep_memory.json"}}, "links": [{"ends": ["rc.memory", "memory.bus"], "wire": {"$use": ")" + parts +
      R"(on_chip_bus.json"}}]})";
  for (int i = 1; i < groups; ++i) device = R"({"kind": "group", "devices": {"g": )" + device + "}}";
  return R"({"name": "deep", "topology": {"kind": "explicit", "devices": {"a": )" + device + "}}}";
}

}  // namespace

TEST_CASE("a link without ends") {
  const TemporaryFolder folder;
  const std::string links =
      R"("links": [{"ends": [], "wire": {"$use": ")" + configs + R"(/parts/pcie_cable_gen2_x8.json"}}])";
  const auto file = folder.write(
      "m.json",
      R"({"name": "m", "topology": {"kind": "explicit", "devices": {"a": {"kind": "memory"}}, )" + links + "}}");
  for (const std::string command : {"draw", "validate"})
    expect_tamely_refused({command, file.string()}, "m.json:1:96: /topology/links/0: a link has two ends");
}

TEST_CASE("a stack of 64 KiB is enough for all that is not refused") {
  if (sanitized) return;  // whose frames are several times as large
  const TemporaryFolder folder;
  const auto deep = folder.write("deep.json", nested_groups(16));
  const auto run = folder.write("run.json", R"({"machine": )" + nested_groups(15) +
                                                R"(, "library": {"kind": "tca"}, "scenario": {"kind": "ping_pong"}})");
  const auto sweep = folder.write(
      "sweep.json", R"({"run": "run.json", "axes": [{"name": "s", "path": "/options/seed", "values": [1, 2]}]})");
  Surroundings small;
  small.stack = 64 << 10;
  CHECK(run_program({"validate", deep.string()}, small).exit_code == 0);
  CHECK(run_program({"draw", deep.string()}, small).exit_code == 0);
  CHECK(run_program({"run", run.string(), "--print-config"}, small).exit_code == 0);
  for (const auto& [command, file] : {std::pair{"run", run}, std::pair{"validate", sweep}}) {
    const Ended end = run_program({command, file.string()}, small);
    CHECK(end.exit_code == 2);
    CHECK_THAT(end.err, Catch::Contains("library tca needs a machine with PEACH2 chips"));
  }
  CHECK(run_program({"run", run_file, "--set", "/scenario/iterations=1"}, small).exit_code == 0);
}

TEST_CASE("a device as a file") {
  for (const std::string command : {"run", "validate", "draw", "explain", "sweep"})
    expect_tamely_refused({command, "/dev/zero"}, "/dev/zero: cannot be read: is a device");
}

TEST_CASE("a FIFO that is held open and not written ends with the signals that end programs") {
  const TemporaryFolder folder;
  const std::string fifo = (folder.path() / "fifo").string();
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  const int held = ::open(fifo.c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(held >= 0);
  const auto use = folder.write("use.json", R"({"machine": {"$use": ")" + fifo + R"("}})");
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"validate", fifo},
                                                                                     {"validate", use.string()},
                                                                                     {"run", fifo},
                                                                                     {"sweep", "plan", fifo},
                                                                                     {"check", "--baseline", fifo}})
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      Surroundings impatient;
      impatient.interrupt_after_ms = 300;
      impatient.interrupt = signal;
      CAPTURE(words, signal);
      CHECK(run_program(words, impatient).exit_code == 130);
    }
  ::close(held);
}

TEST_CASE("control characters in names reach no terminal") {
  const TemporaryFolder folder;
  const std::string evil = "\x1b[2J\x07\n";
  expect_tamely_refused({"run", evil + ".json"}, "\\x1b[2J\\x07\\n.json: cannot be read: No such file");
  expect_tamely_refused({"draw", run_file, "--out", "/tmp/" + evil + "/x"}, "there is no folder /tmp/\\x1b[2J");
  expect_tamely_refused({evil}, "unknown command \"\\x1b[2J");
  expect_tamely_refused({"run", run_file, "--format", evil}, "unknown format \"\\x1b");
  expect_tamely_refused({"run", run_file, "--set", "/" + evil + "=1"}, "--set /\\x1b");
  expect_tamely_refused({"run", run_file, "--vary", "/options/" + evil + "=1"}, "/options/\\x1b");
  expect_tamely_refused({"run", run_file, "--set", "/title=\"\\u001b[31m\""},
                        "/title: \"\\x1b[31m\" holds a control character");
  expect_tamely_refused({"run", run_file, "--set", "/title=\"a\u202eb\""},
                        "/title: \"a\\u202eb\" holds a format character");
  expect_tamely_refused({"run", "a\u202eb.json"}, "a\\u202eb.json: cannot be read: No such file");
  const auto file = folder.write(evil + ".json", R"({"a\u001b": 1, "scenario": 1})");
  const Ended end = run_program({"validate", file.string()});
  CHECK(end.exit_code == 2);
  CHECK(is_tame(end.err));
  CHECK_THAT(end.err, Catch::Contains("unknown key \"a\\x1b\""));
  folder.write(evil + ".json", R"({"kind": "memory"})");
  CHECK(run_program({"validate", file.string()}).out == folder.path().string() + "/\\x1b[2J\\x07\\n.json: ok\n");
}

TEST_CASE("bytes that are no text are refused where text belongs") {
  expect_tamely_refused({"run", run_file, "--set", "/title=\xff"}, "is no UTF-8");
  expect_tamely_refused({"run", run_file, "--vary", "/title=\xff,a"}, "is no UTF-8");
  expect_tamely_refused({"explain", run_file, "--method", "\xff"}, "no method");
  const TemporaryFolder folder;
  const auto file =
      folder.write("\xff/s.json", R"({"run": ")" + run_file +
                                      R"(", "axes": [{"name": "m", "path": "/machine", "files": ["m.json"]}]})");
  expect_tamely_refused({"sweep", "plan", file.string()}, "/axes/0/files/0: the way to this file is no UTF-8: ");
}

TEST_CASE("limits of zero are refused") {
  const std::string sweep = configs + "/sweeps/mps_generation.json";
  expect_tamely_refused({"sweep", "run", sweep, "--limit-simulated-time", "0 ns"},
                        "--limit-simulated-time must be 1 ns to ");
  expect_tamely_refused({"sweep", "run", sweep, "--limit-simulated-time", "9000s"},
                        "--limit-simulated-time must be 1 ns to ");
  expect_tamely_refused({"sweep", "run", sweep, "--limit-memory", "0B"}, "--limit-memory must be 1 B to ");
  expect_tamely_refused({"sweep", "run", sweep, "--limit-time", "0"}, "--limit-time needs more than 0");
  expect_tamely_refused({"sweep", "run", sweep, "--limit-time", "nan"}, "--limit-time");
  expect_tamely_refused({"sweep", "run", sweep, "--jobs", "0"}, "--jobs needs at least 1");
  expect_tamely_refused({"run", run_file, "--vary", "/options/seed=1", "--jobs", "0"}, "--jobs needs at least 1");
  expect_tamely_refused({"explain", run_file, "--jobs", "0"}, "--jobs");
  expect_tamely_refused({"explain", run_file, "--size", "0 B"}, "has at least 1 B");
  expect_tamely_refused({"run", run_file, "--set", "/options/limit_simulated_time=\"0 s\""}, "must be 1 ns to ");
}

}  // namespace hostile_input_test
