// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/refused.hpp"

namespace usage_test {

using namespace tsunagi::test;

namespace {

const std::vector<std::string> commands{"run",  "sweep",    "check", "diff", "explain", "trace",
                                        "draw", "validate", "new",   "list", "schema",  "completion"};

}  // namespace

TEST_CASE("the program explains itself") {
  const Ended bare = run_program({});
  const Ended help = run_program({"--help"});
  CHECK(bare.exit_code == 0);
  CHECK(bare.out == help.out);
  CHECK(help.err.empty());
  for (const std::string& command : commands) CHECK_THAT(help.out, Catch::Contains("\n  " + command + " "));
  CHECK_THAT(run_program({"--version"}).out, Catch::StartsWith("tsunagi ") && Catch::EndsWith("\n"));
}

TEST_CASE("help of help is the overview") {
  for (const char* topic : {"help", "--help", "-h"})
    CHECK(run_program({"help", topic}).out == run_program({"--help"}).out);
}

TEST_CASE("usage: in the overview all that commands do begins in one column") {
  const std::string help = run_program({"--help"}).out;
  const std::size_t begin = help.find("Commands:\n") + 10;
  std::istringstream lines(help.substr(begin, help.find("\n\n", begin) - begin));
  int count = 0, longer = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    INFO(line);
    REQUIRE(line.size() > 14);
    CHECK(line[13] == ' ');
    CHECK(line[14] != ' ');
    longer += line[2] == ' ' ? 1 : 0;
  }
  CHECK(count > 15);
  CHECK(longer > 0);  // one at least goes on in a second line
}

TEST_CASE("every command has a purpose, a usage, options and examples") {
  for (const std::string& command : commands) {
    const Ended help = run_program({command, "--help"});
    CAPTURE(command);
    CHECK(help.exit_code == 0);
    CHECK_THAT(help.out, Catch::Contains("Usage: tsunagi " + command) && Catch::Contains("Options:"));
    const auto examples = help.out.find("Examples:\n  tsunagi " + command);
    REQUIRE(examples != std::string::npos);
    CHECK(std::count(help.out.begin() + static_cast<long>(examples), help.out.end(), '\n') >= 3);
    CHECK(run_program({"help", command}).out == help.out);
  }
}

TEST_CASE("a wrong call gets one line that helps") {
  expect_refused({"rnu"}, "did you mean \"run\"");
  expect_refused({"--verson"}, "did you mean \"--version\"");
  expect_refused({"help", "chek"}, "did you mean \"check\"");
  expect_refused({"run", "x.json", "--fromat", "csv"}, "did you mean \"--format\"");
  expect_refused({"run", "x.json", "--format", "jsn"}, "did you mean \"json\"");
  expect_refused({"run", "x.json", "--vary", "/a=1", "--counters"}, "--counters tells of the wires of one run");
  expect_refused({"run", "x.json", "--vary", "/a=1", "--accounts"}, "--accounts tells of the steps of one run");
  expect_refused({"run", "x.json", "--accounts", "--term"}, "--accounts are printed with the rows, which --term");
  expect_refused({"run", "x.json", "--accounts", "--counters", "--format", "csv"}, "csv is one table");
  expect_refused({"run"}, "which run?");
  expect_refused({"run", "a.json", "b.json"}, "unexpected \"b.json\"");
  expect_refused({"run", "x.json", "--set"}, "--set");
  expect_refused({"check", "--jobs", "many"}, "--jobs");
  expect_refused({"check", "--jobs", "0"}, "--jobs");
  expect_refused({"check", "--sensitivity", "--require-all"}, "leave out --require-all");
  expect_refused({"run", "x.json", "--counters", "--term"}, "--counters are printed with the rows, which --term");
  expect_refused({"check", "--configs", TSUNAGI_TEST_CONFIGS, "--system", "peach3"}, "did you mean \"peach2\"");
  expect_refused({"check", "--configs", TSUNAGI_TEST_CONFIGS, "--id", "p2-theoretical-pek"},
                 "did you mean \"p2-theoretical-peak\"");
  expect_refused({"validate"}, "which files?");
  expect_refused({"list", "figurs"}, "did you mean \"figures\"");
  expect_refused({"schema", "machin"}, "did you mean \"machine\"");
}

TEST_CASE("quiet: silences notes, not errors, for every command") {
  Surroundings here;
  here.folder = TSUNAGI_TEST_CONFIGS "/..";
  here.environment = {{"TSUNAGI_CONFIGS", ""}};
  CHECK_THAT(run_program({"list", "figures"}, here).err, Catch::StartsWith("configs: "));
  for (const char* quiet : {"-q", "--quiet"}) {
    const Ended end = run_program({"list", "figures", quiet}, here);
    CHECK(end.exit_code == 0);
    CHECK(end.err.empty());
    CHECK_FALSE(end.out.empty());
    CHECK_THAT(run_program({"run", "nowhere.json", quiet}).err, Catch::Contains("nowhere.json: cannot be read"));
  }
  for (const std::string& command : commands)
    CHECK_THAT(run_program({command, "-q", "--help"}).out, Catch::Contains("\n  -q, --quiet  "));
}

TEST_CASE("a closed pipe ends the program silently") {
  Surroundings closed;
  closed.closed_output = true;
  const Ended end = run_program({"list", "devices"}, closed);
  CHECK(end.err.empty());
  CHECK(end.exit_code == 128 + 13);
}

TEST_CASE("a configs folder that is not there is told") {
  Surroundings lost;
  lost.environment = {{"TSUNAGI_CONFIGS", "/nonexistent"}};
  const Ended end = run_program({"list", "figures"}, lost);
  CHECK(end.exit_code == 2);
  CHECK(end.out.empty());
  CHECK_THAT(end.err, Catch::Contains("TSUNAGI_CONFIGS: \"/nonexistent\" is no folder"));
  expect_refused({"check", "--configs", "/nonexistent"}, "--configs: \"/nonexistent\" is no folder");
}

}  // namespace usage_test
