// SPDX-License-Identifier: Apache-2.0
// What shells, man and packages get to know of the program, all from its option tables.
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace shell_test {

using namespace tsunagi::test;
using Words = std::vector<std::string>;

namespace {

const std::string root = TSUNAGI_TEST_CONFIGS "/../";

/// The candidates for the last word, without what they are.
std::set<std::string> completed(Words words) {
  words.insert(words.begin(), "__complete");
  const Ended end = run_program(words);
  CHECK(end.exit_code == 0);
  std::set<std::string> out;
  std::istringstream lines(end.out);
  for (std::string line; std::getline(lines, line);) out.insert(line.substr(0, line.find('\t')));
  return out;
}

Words commands() {
  const std::set<std::string> all = completed({""});
  return {all.begin(), all.end()};
}

/// What the first group of `pattern` is in `text`.
std::string found(const std::string& text, const std::string& pattern) {
  std::smatch match;
  REQUIRE(std::regex_search(text, match, std::regex(pattern)));
  return match[1];
}

void expect_80_columns(const Words& arguments) {
  std::istringstream lines(run_program(arguments).out);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(arguments, line);
    CHECK(line.size() <= 80);
    CHECK((line.empty() || line.back() != ' '));
  }
}

}  // namespace

TEST_CASE("help fits into 80 columns, of every command") {
  expect_80_columns({"--help"});
  expect_80_columns({"help"});
  for (const std::string& command : commands()) {
    if (command == "help") continue;
    expect_80_columns({command, "--help"});
    expect_80_columns({"help", command});
  }
}

TEST_CASE("the version is told for -V, too") {
  CHECK(run_program({"-V"}).out == run_program({"--version"}).out);
  CHECK(run_program({"-V"}).exit_code == 0);
}

TEST_CASE("completion knows commands, options and what they take") {
  CHECK(completed({"ru"}) == std::set<std::string>{"run"});
  CHECK(completed({"help", "sch"}) == std::set<std::string>{"schema"});
  CHECK(completed({"help", "run", ""}).empty());
  CHECK(completed({"--v"}) == std::set<std::string>{"--version"});
  CHECK(completed({"run", "--print"}) == std::set<std::string>{"--print-config"});
  CHECK(completed({"run", "x.json", "--format", ""}) == std::set<std::string>{"table", "csv", "json"});
  CHECK(completed({"run", "x.json", "--format=c"}) == std::set<std::string>{"--format=csv"});
  CHECK(completed({"run", "x.json", "--format", "=", "c"}) == std::set<std::string>{"csv"});
  CHECK(completed({"run", "x.json", "--format", "="}) == std::set<std::string>{"table", "csv", "json"});
  CHECK(completed({"check", "--system", "pea"}) == std::set<std::string>{"peach2"});
  CHECK(completed({"check", "--id", "p2-theoretical-p"}) == std::set<std::string>{"p2-theoretical-peak"});
  CHECK(completed({"list", "fig"}) == std::set<std::string>{"figures"});
  CHECK(completed({"schema", "mac"}) == std::set<std::string>{"machine"});
  CHECK(completed({"completion", ""}) == std::set<std::string>{"bash", "zsh", "fish"});
  CHECK(completed({"sweep", "col"}) == std::set<std::string>{"collect"});
  CHECK(completed({"trace", "x.json", "--format", "v"}) == std::set<std::string>{"vcd"});
}

TEST_CASE("completion knows where names of files stand, and which") {
  CHECK(completed({"run", ""}) == std::set<std::string>{":files .json"});
  CHECK(completed({"run", "x"}) == std::set<std::string>{":files .json"});
  CHECK(completed({"sweep", "configs/"}) == std::set<std::string>{":files .json"});
  CHECK(completed({"validate", "x.json", ""}) == std::set<std::string>{":files"});
  CHECK(completed({"run", "x.json", "--out", ""}) == std::set<std::string>{":files"});
  CHECK(completed({"diff", "x.json", ""}) == std::set<std::string>{":files"});
  CHECK(completed({"schema", "zzz"}).empty());
  CHECK(completed({"check", "--configs", "c"}) == std::set<std::string>{":folders"});
  CHECK(completed({"check", "--configs=c"}) == std::set<std::string>{":folders"});
  CHECK(completed({"run", "x.json", "--set", "/"}).empty());
}

TEST_CASE("completion says nothing where there is nothing to say") {
  for (const Words& words : std::vector<Words>{{"rnu", ""}, {"run", "--format", "x"}, {"run", "--wrong="}, {"--"}})
    for (const std::string& word : completed(words)) CHECK(word.rfind("--", 0) == 0);
  Surroundings lost;
  lost.environment = {{"TSUNAGI_CONFIGS", "/nonexistent"}};
  const Ended end = run_program({"__complete", "check", "--id", ""}, lost);
  CHECK(end.out.empty());
  CHECK(run_program({"__complete"}).out == run_program({"__complete", ""}).out);
  const Ended wrong = run_program({"completion", "tcsh"});
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.err, Catch::Contains("known shells: bash, zsh, fish") || Catch::Contains("known: bash, zsh, fish"));
  CHECK_THAT(run_program({"completion"}).err, Catch::Contains("for which shell?"));
}

TEST_CASE("every option of every command is completed and stands on the command's man page") {
  for (const std::string& command : commands()) {
    if (command == "help") continue;
    CAPTURE(command);
    const std::string help = run_program({command, "--help"}).out;
    const std::string page = run_program({"help", "--man", command}).out;
    CHECK_THAT(page, Catch::StartsWith(".TH TSUNAGI\\-"));
    const std::set<std::string> options = completed({command, "--"});
    CHECK(options.count("--help") == 1);
    for (const std::string& option : options) {
      CHECK_THAT(help, Catch::Contains(option));
      CHECK_THAT(page, Catch::Contains("\\fB" + std::regex_replace(option, std::regex("-"), "\\-") + "\\fR"));
    }
    for (const char* section : {"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS", "SEE ALSO"})
      CHECK_THAT(page, Catch::Contains("\n.SH " + std::string(section) + "\n"));
    CHECK_THAT(run_program({"help", "--man"}).out, Catch::Contains("tsunagi\\-" + command + " (1)"));
  }
  const Ended two = run_program({"help", "--man", "run", "check"});
  CHECK(two.exit_code == 2);
}

TEST_CASE("the citation is of the version that the program has") {
  const std::string citation = content(root + "CITATION.cff");
  const std::string version = run_program({"--version"}).out;
  CHECK(found(citation, "\nversion: (.*)\n") == found(version, "^tsunagi ([0-9.]*)\\+"));
  CHECK(found(citation, "\ndate-released: \"(.*)\"\n") ==
        found(run_program({"help", "--man"}).out, "^\\.TH TSUNAGI 1 ([0-9-]*) "));
  CHECK_THAT(citation, Catch::Contains("\ncff-version: 1.2.0\n") && Catch::Contains("\nlicense: Apache-2.0\n"));
}

TEST_CASE("the image is built from the packages that tools/packages.sh and the Debian package name") {
  const std::string image = content(root + "Dockerfile");
  const std::string packages = content(root + "tools/packages.sh");
  CHECK_THAT(image, Catch::Contains("sh tools/packages.sh dpkg-dev file"));
  CHECK_THAT(image, Catch::Contains("FROM debian:12 AS build") && Catch::Contains("ENTRYPOINT [\"tsunagi\"]"));
  std::istringstream beside(
      found(image, "apt-get install -y --no-install-recommends /tmp/tsunagi_\\*\\.deb([^\\\\]*)"));
  for (std::string package; beside >> package;) CHECK_THAT(packages, Catch::Contains(" " + package + " "));
}

}  // namespace shell_test
