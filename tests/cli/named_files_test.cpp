// SPDX-License-Identifier: Apache-2.0
// Files by the names that `list` prints, standard input as a file, and formats by extensions.
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/refused.hpp"
#include "support/temporary_folder.hpp"

namespace named_files_test {

using namespace tsunagi::test;
using Words = std::vector<std::string>;
namespace fs = std::filesystem;

namespace {

const std::string configs = TSUNAGI_TEST_CONFIGS;

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// A short run, elsewhere than beside our configs; the program finds these by $TSUNAGI_CONFIGS.
class Bench {
 public:
  Ended does(const Words& words) const { return run_program(words, there()); }
  Ended run(const Words& more) const {
    return does(joined({"run", "tca_pio_ping_pong", "--set", "sizes=[\"8 B\"]", "--set", "iterations=1"}, more));
  }
  std::string file(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text).string();
  }

 private:
  Surroundings there() const {
    Surroundings out;
    out.folder = folder_.path().string();
    return out;
  }
  TemporaryFolder folder_;
};

/// What the shell makes of a command; $TSUNAGI_BIN is the program.
int shell(const std::string& command) { return std::system(command.c_str()); }

}  // namespace

TEST_CASE("a listed name stands in $use where no file has it, of the folder that belongs there") {
  const Bench bench;
  const auto file =
      bench.write("run.json", R"({"machine": {"$use": "tca_pair", "name": "mine"}, "library": {"$use": "tca"},
    "scenario": {"kind": "ping_pong", "sizes": ["8 B"], "iterations": 1}})");
  const Ended named = bench.does({"run", file, "--format", "csv"});
  CAPTURE(named.err);
  CHECK(named.exit_code == 0);
  const auto paths = bench.write("paths.json", R"({"machine": {"$use": ")" + configs + R"(/machines/tca_pair.json"},
    "library": {"$use": ")" + configs + R"(/parts/tca.json"},
    "scenario": {"kind": "ping_pong", "sizes": ["8 B"], "iterations": 1}})");
  CHECK(bench.does({"run", paths, "--format", "csv"}).out == named.out);
  CHECK(bench.does({"validate", bench.write("part.json", R"({"$use": "pcie_gen2_x8"})")}).exit_code == 0);
  bench.write("tca_pair", R"({"name": "beside it"})");  // what lies there comes first
  CHECK_THAT(bench.does({"validate", file}).err, Catch::Contains("missing required field \"topology\""));
  const Ended wrong = bench.does({"validate", bench.write("w.json", R"({"machine": {"$use": "tca_pear"}})")});
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.err, Catch::Contains("w.json:1:22: /machine: \"$use\" of \"") &&
                            Catch::Contains("No such file or directory, and none in machines of ") &&
                            Catch::Contains("did you mean \"tca_pair\"?"));
  for (const char* no_name : {"./tca_pair2", "tca_pair2.json"})
    CHECK_THAT(
        bench.does({"validate", bench.write("n.json", R"({"machine": {"$use": ")" + std::string(no_name) + "\"}}")})
            .err,
        Catch::EndsWith("No such file or directory\n"));
}

TEST_CASE("a run by its listed name is the run of that file") {
  const Bench bench;
  const Ended named = bench.run({"--print-config"});
  CHECK(named.exit_code == 0);
  CHECK_THAT(named.err, Catch::Contains(configs));  // where the name was found
  const Ended filed = bench.does({"run", configs + "/runs/tca_pio_ping_pong.json", "--set", "sizes=[\"8 B\"]", "--set",
                                  "iterations=1", "--print-config"});
  CHECK(filed.err.empty());
  CHECK(named.out == filed.out);
  CHECK(bench.does({"run", "tca_pio_ping_pong.json", "--print-config"}).exit_code == 0);
  CHECK(bench.does({"run", "tca_pio_ping_pong", "--configs", configs, "--print-config"}).err.empty());
}

TEST_CASE("every command that reads a config takes a name") {
  const Bench bench;
  for (const Words& words :
       {Words{"draw", "tca_pair"}, Words{"draw", "tca_pio_ping_pong"},
        Words{"validate", "tca_pair", "tca_pio_ping_pong"}, Words{"sweep", "plan", "mps_generation"},
        Words{"explain", "tca_pio_ping_pong", "--size", "8 B"},
        Words{"trace", "tca_pio_ping_pong", "--out", "t.json", "--set", "iterations=1"}}) {
    const Ended end = bench.does(words);
    CAPTURE(words, end.err);
    CHECK(end.exit_code == 0);
  }
}

TEST_CASE("a file of the working directory wins over a listed name") {
  const Bench bench;
  bench.write("tca_pio_ping_pong", "{\"$use\": \"" + configs + "/runs/tca_pio_ping_pong.json\", \"name\": \"mine\"}");
  const Ended end = bench.run({"--print-config"});
  CHECK(end.exit_code == 0);
  CHECK_THAT(end.out, Catch::Contains("\"name\": \"mine\""));
  CHECK(end.err.empty());
}

TEST_CASE("a name that is none is refused with what was meant") {
  const Bench bench;
  expect_refusal(bench.does({"run", "tca_ping_pnog"}), "did you mean \"tca_ping_pong\"?");
  expect_refusal(bench.does({"run", "tca_ping_pnog.json"}),
                 "tca_ping_pnog.json: cannot be read: No such file or directory");
  expect_refusal(bench.does({"draw", "tca_piar"}), "did you mean \"tca_pair\"?");
  expect_refusal(bench.does({"sweep", "plan", "mps_generatoin"}), "did you mean \"mps_generation\"?");
  expect_refusal(bench.does({"validate", "tca_piar"}), "did you mean \"tca_pair\"?");
  expect_refusal(bench.does({"run", "./tca_ping_pong"}), "./tca_ping_pong: cannot be read");
  expect_refusal(bench.does({"run", "tca_ping_pong", "--configs", "/nonexistent"}), "\"/nonexistent\" is no folder");
  expect_refusal(bench.does({"run", ""}), "cannot be read");
}

TEST_CASE("standard input is a file") {
  const Bench bench;
  const std::string run = configs + "/runs/tca_pio_ping_pong.json";
  const std::string at = "cd " + bench.file("") + " && ";
  const std::string small = R"({"$use": ")" + run + R"(", "scenario": {"iterations": 1, "sizes": ["8 B"]}})";
  bench.write("small.json", small);
  CHECK(shell(at + "\"$TSUNAGI_BIN\" run - --out piped.txt < small.json") == 0);
  CHECK(shell(at + "(sleep 0.2; cat small.json) | \"$TSUNAGI_BIN\" run - --out late.txt") == 0);
  CHECK(content(bench.file("late.txt")) == content(bench.file("piped.txt")));
  CHECK(content(bench.file("piped.txt")) == bench.does({"run", "small.json"}).out);
  CHECK(shell(at + "cat small.json | \"$TSUNAGI_BIN\" explain - --out why.txt") == 0);  // which reads it twice
  CHECK_THAT(content(bench.file("why.txt")), Catch::Contains("8 B"));
  CHECK(shell(at + "cat small.json | \"$TSUNAGI_BIN\" validate - > /dev/null") == 0);
  bench.write("bad.json", "{\"$use\": \"small.json\", \"optons\": 1}");  // relative to the working directory
  CHECK(shell(at + "! \"$TSUNAGI_BIN\" run - < bad.json 2> told") == 0);
  CHECK_THAT(content(bench.file("told")),
             Catch::StartsWith("stdin:1:24: unknown key \"optons\"; did you mean \"options\"?"));
  CHECK(shell(at + "! \"$TSUNAGI_BIN\" run - < /dev/null 2> told") == 0);
  CHECK_THAT(content(bench.file("told")), Catch::StartsWith("stdin: cannot be read: is a device"));
  CHECK(shell(at + "! true | \"$TSUNAGI_BIN\" run - 2> told") == 0);
  CHECK_THAT(content(bench.file("told")), Catch::StartsWith("stdin:1:1: "));
}

TEST_CASE("standard input is a result or a baseline, too") {
  const Bench bench;
  const std::string at = "cd " + bench.file("") + " && ";
  const std::string at_it = at + "\"$TSUNAGI_BIN\" ";
  REQUIRE(bench.run({"--out", "r.json"}).exit_code == 0);
  CHECK(shell(at_it + "diff - r.json --exit-code < r.json > piped") == 0);
  CHECK_THAT(content(bench.file("piped")), Catch::StartsWith("A: stdin (result)\nB: r.json (result)\n"));
  CHECK(shell(at + "cat r.json | \"$TSUNAGI_BIN\" diff r.json - --exit-code > piped") == 0);
  bench.write("small.json", R"({"$use": ")" + configs + R"(/runs/tca_pio_ping_pong.json"})");
  CHECK(shell(at_it + "diff - --with /scenario/iterations=2 --no-stages < small.json > piped") == 0);
  CHECK_THAT(content(bench.file("piped")), Catch::Contains("/scenario/iterations: "));
  CHECK(shell(at_it + "diff - < /dev/null 2> told") == 2 << 8);
  CHECK_THAT(content(bench.file("told")), Catch::StartsWith("stdin: cannot be read: is a device"));
  const std::string check = "check -q --id p2-theoretical-peak --format ";
  REQUIRE(shell(at_it + check + "json > b.json") == 0);
  CHECK(shell(at + "cat b.json | \"$TSUNAGI_BIN\" " + check + "table --baseline - > piped") == 0);
  CHECK_THAT(content(bench.file("piped")), Catch::Contains("since stdin (tsunagi ") &&
                                               Catch::Contains("): 1 exactly as before, 0 moved, 0 new, 0 gone"));
}

TEST_CASE("the folder of a name is told once, however often it is looked for") {
  const Bench bench;
  const Ended twice = bench.does({"validate", "tca_pair", "tca_ping_pong"});
  CHECK_THAT(twice.err, Catch::StartsWith("configs: " + configs) && Catch::EndsWith(")\n"));
  CHECK(twice.err.find('\n') + 1 == twice.err.size());
  const Ended again = bench.does({"explain", "tca_pio_ping_pong"});  // reads its run twice
  CHECK(again.err == twice.err);
}

TEST_CASE("the extension of --out chooses the format") {
  const Bench bench;
  const auto written = [&](const std::string& name, const Words& more = {}) {
    const Ended end = bench.run(joined({"--out", name}, more));
    CAPTURE(name, end.err);
    CHECK(end.exit_code == 0);
    return content(bench.file(name));
  };
  CHECK(nlohmann::json::parse(written("x.json")).contains("rows"));
  CHECK(nlohmann::json::parse(written("X.JSON")).contains("rows"));
  CHECK_THAT(written("x.csv"), Catch::StartsWith("size_bytes,iterations,"));
  CHECK(written("x.txt") == bench.run({}).out);
  CHECK(written("x") == written("x.txt"));
  CHECK(written("x.log", {"--format", "csv"}) == written("x.csv"));
  CHECK(written("x.csv", {"--format", "csv"}) == written("x.csv"));
  CHECK(bench.run({"--out", "/dev/null"}).exit_code == 0);
  const Words trace{"trace", "tca_pio_ping_pong", "--set", "iterations=1", "--to", "1 us"};
  CHECK(bench.does(joined(trace, {"--out", "t.vcd"})).exit_code == 0);
  CHECK_THAT(content(bench.file("t.vcd")), Catch::Contains("$timescale"));
  CHECK(bench.does(joined(trace, {"--out", "t.json"})).exit_code == 0);
  CHECK(nlohmann::json::parse(content(bench.file("t.json"))).contains("traceEvents"));
}

TEST_CASE("an extension that is no format's, or another format's, is refused") {
  const Bench bench;
  expect_refusal(bench.run({"--out", "x.svg"}),
                 "--out x.svg: the format of \".svg\" is unknown; known formats: table (.txt), csv "
                 "(.csv), json (.json); or name one with --format; pictures of rows are made by --plot");
  expect_refusal(bench.run({"--out", "x.xlsx"}), "the format of \".xlsx\" is unknown");
  expect_refusal(bench.run({"--out", "x.csv", "--format", "json"}),
                 "--format json contradicts the name of x.csv, which is for csv");
  expect_refusal(bench.run({"--out", "x.json", "--format", "table"}), "--format table contradicts");
  expect_refusal(bench.run({"--out", "x.csv", "--format", "jsn"}), "did you mean \"json\"?");
  expect_refusal(bench.does({"trace", "tca_pio_ping_pong", "--out", "t.json.gz"}),
                 "known formats: chrome (.json), perfetto (.pftrace, .perfetto-trace), vcd (.vcd)");
  expect_refusal(bench.does({"trace", "tca_pio_ping_pong", "--out", "t.vcd", "--format", "chrome"}),
                 "which is for vcd");
  expect_refusal(bench.does({"draw", "tca_pair", "--out", "pair.png"}), "a picture is SVG; name it .svg, not .png");
  expect_refusal(bench.does({"explain", "tca_pio_ping_pong", "--out", "why.csv"}),
                 "known formats: table (.txt), json (.json)");
  expect_refusal(bench.does({"check", "--id", "p2-theoretical-peak", "--out", "c.svg"}),
                 "known formats: table (.txt), csv");
  for (const char* name : {"x.svg", "x.xlsx", "x.csv", "x.json", "t.vcd", "pair.png"})
    CHECK(!fs::exists(bench.file(name)));
}

}  // namespace named_files_test
