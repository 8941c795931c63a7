// SPDX-License-Identifier: Apache-2.0
// Where results go: to standard output by the name "-", and never over what they were made from.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "support/catch.hpp"
#include "support/gnuplot.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace output_test {

using namespace tsunagi::test;
namespace fs = std::filesystem;

namespace {

const std::string configs = TSUNAGI_TEST_CONFIGS;

/// A run that uses another file, with links to both.
class Inputs {
 public:
  Inputs() {
    folder_.write("small.json", R"({"kind": "ping_pong", "sizes": ["8 B"], "iterations": 2})");
    folder_.write("run.json",
                  R"({"$use": ")" + configs + R"(/runs/tca_pio_ping_pong.json", "scenario": {"$use": "small.json"}})");
    fs::create_symlink("run.json", at("symbolic"));
    fs::create_hard_link(at("small.json"), at("hard"));
    folder_.write("sub/file", "");
    before_ = content(at("run.json")) + content(at("small.json"));
  }
  fs::path at(const std::string& name) const { return folder_.path() / name; }
  std::string run() const { return at("run.json").string(); }
  bool kept() const { return content(at("run.json")) + content(at("small.json")) == before_; }

  /// Exit 2, one line that says so, and nothing is written.
  void expect_kept(std::vector<std::string> arguments, const std::string& option, const std::string& name) const {
    arguments.insert(arguments.end(), {option, at(name).string()});
    const Ended end = run_program(arguments);
    CAPTURE(arguments, end.err);
    CHECK(end.exit_code == 2);
    CHECK(end.out.empty());
    CHECK(std::count(end.err.begin(), end.err.end(), '\n') == 1);
    CHECK_THAT(end.err, Catch::Contains(" would be written over ") && Catch::Contains("which is read here"));
    CHECK(kept());
  }

 private:
  TemporaryFolder folder_;
  std::string before_;
};

}  // namespace

TEST_CASE("no command writes over the run that it reads, or over a file that this uses, by whatever name") {
  const Inputs inputs;
  for (const std::string command : {"run", "explain", "trace", "draw"})
    for (const std::string name : {"run.json", "small.json", "symbolic", "hard", "sub/../run.json"})
      inputs.expect_kept({command, inputs.run()}, "--out", name);
  inputs.expect_kept({"run", inputs.run(), "--print-config"}, "--out", "run.json");
  inputs.expect_kept({"explain", inputs.run(), "--why-not-faster"}, "--out", "hard");
  inputs.expect_kept({"run", inputs.run(), "--vary", "/options/seed=1,2"}, "--out", "small.json");
  const std::string library = inputs.at("library.json").string();
  std::ofstream(library) << R"({"kind": "tca"})";
  inputs.expect_kept({"run", inputs.run(), "--set", R"(/library={"$use": ")" + library + "\"}"}, "--out",
                     "library.json");
  inputs.expect_kept({"run", inputs.run(), "--vary", R"(/library={"$use": ")" + library + "\"}"}, "--out",
                     "library.json");
}

TEST_CASE("no command writes over the lines that a run uses") {
  const Inputs inputs;
  std::ofstream(inputs.at("sizes.txt")) << "8 B\n";
  std::ofstream(inputs.at("lines.json")) << R"({"$use": "run.json", "scenario": {"sizes": {"$lines": "sizes.txt"}}})";
  inputs.expect_kept({"run", inputs.at("lines.json").string()}, "--out", "sizes.txt");
}

TEST_CASE("no plot is drawn over the run that it is of") {
  require_gnuplot();
  const Inputs inputs;
  fs::copy_file(inputs.run(), inputs.at("p.dat"));
  inputs.expect_kept({"run", inputs.at("p.dat").string()}, "--plot", "p.svg");
  fs::create_hard_link(inputs.at("small.json"), inputs.at("q.gp"));
  inputs.expect_kept({"run", inputs.run()}, "--plot", "q.svg");
}

TEST_CASE("nothing is written over the published figures that a plot shows") {
  require_gnuplot();
  const Inputs inputs;
  const fs::path figures = inputs.at("figures") / "s.json";
  fs::create_directory(figures.parent_path());
  std::ofstream(figures) << R"({"system": "s", "paper": "p", "figures": []})";
  const std::string before = content(figures);
  const std::vector<std::string> run{"run", inputs.run(), "--configs", figures.parent_path().parent_path().string()};
  for (const std::string& way : {std::string("--term"), "--plot=" + inputs.at("p.svg").string()}) {
    std::vector<std::string> words = run;
    words.push_back(way);
    inputs.expect_kept(words, "--out", "figures/s.json");
  }
  CHECK(content(figures) == before);
  fs::create_symlink(figures, inputs.at("q.dat"));
  inputs.expect_kept(run, "--plot", "q.svg");
  CHECK(content(figures) == before);
}

TEST_CASE("no sweep writes over what it is of") {
  const Inputs inputs;
  const std::string axes = R"("axes": [{"name": "s", "path": "/scenario", "files": ["small.json"]}]})";
  std::ofstream(inputs.at("s.json")) << R"({"run": "run.json", )" + axes;
  std::ofstream(inputs.at("sweep.json")) << R"({"run": "run.json", )" + axes;
  inputs.expect_kept({"sweep", "run", inputs.at("sweep.json").string()}, "--out", "");
  fs::create_hard_link(inputs.at("small.json"), inputs.at("s.dat"));
  inputs.expect_kept({"sweep", "plot", inputs.at("s.json").string()}, "--out", "");
  const Ended end = run_program({"sweep", "run", inputs.at("s.json").string(), "--out", "-"});
  CHECK(end.exit_code == 2);
  CHECK_THAT(end.err, Catch::Contains("--out names the folder"));
}

TEST_CASE("the output \"-\" is standard output for every command") {
  const Inputs inputs;
  const auto expect_same = [&](std::vector<std::string> arguments) {
    const Ended plain = run_program(arguments);
    arguments.insert(arguments.end(), {"--out", "-"});
    const Ended end = run_program(arguments);
    CAPTURE(arguments, end.err);
    CHECK(end.exit_code == 0);
    CHECK(end.out == plain.out);
    CHECK_FALSE(end.out.empty());
    CHECK_FALSE(fs::exists("-"));
  };
  expect_same({"run", inputs.run(), "--format", "csv"});
  expect_same({"run", inputs.run(), "--print-config"});
  expect_same({"run", inputs.run(), "--format", "csv", "--vary", "/options/seed=1,2"});
  expect_same({"explain", inputs.run()});
  expect_same({"draw", inputs.run()});
  const fs::path file = inputs.at("trace.json");
  REQUIRE(run_program({"trace", inputs.run(), "--out", file.string()}).exit_code == 0);
  const Ended end = run_program({"trace", inputs.run(), "--out", "-"});
  CHECK(end.exit_code == 0);
  CHECK(end.out == content(file));
  CHECK_FALSE(fs::exists("-"));
}

TEST_CASE("a trace to standard output is added to a file that something stands in") {
  const Inputs inputs;
  std::ofstream(inputs.at("log")) << "before\n";
  const std::string command =
      std::string(std::getenv("TSUNAGI_BIN")) + " trace " + inputs.run() + " --out - >> " + inputs.at("log").string();
  REQUIRE(std::system(command.c_str()) == 0);
  CHECK_THAT(content(inputs.at("log")), Catch::StartsWith("before\n{"));
}

}  // namespace output_test
