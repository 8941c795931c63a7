// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <tuple>

#include "support/catch.hpp"
#include "support/gnuplot.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace sweep_plot_test {

using namespace tsunagi::test;
namespace fs = std::filesystem;

namespace {

const std::string configs = TSUNAGI_TEST_CONFIGS;

/// A sweep of the PIO ping-pong, two sizes each, over two wires that are files.
class Sweep {
 public:
  Sweep() {
    file_ = folder_
                .write("wires.json",
                       R"({"title": "two wires", "run": {"$use": ")" + configs + R"(/runs/tca_pio_ping_pong.json",
      "scenario": {"iterations": 1, "sizes": ["8 B", "256 B"]}}, "axes": [{"name": "wire",
      "path": "/machine/topology/links/0/wire", "files": [")" +
                           configs + "/parts/pcie_gen2_x8.json\", \"" + configs + R"(/parts/pcie_gen1_x8.json"]}]})")
                .string();
  }
  Ended does(const std::string& action, const std::vector<std::string>& more = {},
             const Surroundings& where = {}) const {
    std::vector<std::string> words{"sweep", action, file_, "--out", at("r").string()};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words, where);
  }
  fs::path at(const std::string& name) const { return folder_.path() / name; }

 private:
  TemporaryFolder folder_;
  std::string file_;
};

}  // namespace

TEST_CASE("sweep plot draws latency and bandwidth against size, a curve a file, with the run's published figures") {
  require_gnuplot();
  const Sweep sweep;
  REQUIRE(sweep.does("run").exit_code == 0);
  const Ended end = sweep.does("plot", {"--configs", configs});
  CHECK(end.exit_code == 0);
  CHECK(end.out.empty());
  CHECK(end.err == "wrote " + sweep.at("r/wires.svg").string() + " of 2 points\n");
  CHECK_THAT(content(sweep.at("r/wires.svg")),
             Catch::Contains(">two wires<") && Catch::Contains(">latency (µs)<") &&
                 Catch::Contains(">bandwidth (MB/s)<") && Catch::Contains(">pcie_gen2_x8<") &&
                 Catch::Contains(">pcie_gen1_x8<") && Catch::Contains(">(p2-pio-cpu-cpu-min-latency)<") &&
                 Catch::EndsWith("</svg>\n\n"));
  CHECK_THAT(content(sweep.at("r/wires.gp")), Catch::Contains("title 'pcie_gen2_x8'") && !Catch::Contains("/parts/"));
  CHECK_THAT(content(sweep.at("r/wires.dat")),
             Catch::Contains("# index 0: 'message size (bytes)' 'latency (µs)' 'pcie_gen2_x8'\n8 0.") &&
                 Catch::Contains("# index 2: 'message size (bytes)' 'latency (µs)' 'published'\n8 0.9 0.9 3 "));
}

TEST_CASE("sweep plot --term draws in the terminal and writes nothing") {
  require_gnuplot();
  const Sweep sweep;
  REQUIRE(sweep.does("run").exit_code == 0);
  const Ended end = sweep.does("plot", {"--term", "--configs", configs});
  CHECK(end.exit_code == 0);
  CHECK(end.err.empty());
  CHECK_THAT(end.out, Catch::StartsWith("two wires\n") && Catch::Contains("latency (µs)") &&
                          Catch::Contains("A pcie_gen2_x8   B pcie_gen1_x8") &&
                          Catch::EndsWith("C published latency: 0.9 µs (p2-pio-cpu-cpu-min-latency)\n"));
  CHECK(end.out.find('\x1b') == std::string::npos);
  CHECK_FALSE(fs::exists(sweep.at("r/wires.svg")));
}

TEST_CASE("sweep plot draws what there is and tells what is missing") {
  require_gnuplot();
  const Sweep sweep;
  CHECK(sweep.does("plot").exit_code == 2);
  REQUIRE(sweep.does("run").exit_code == 0);
  std::vector<fs::path> results;
  for (const auto& entry : fs::recursive_directory_iterator(sweep.at("r/points")))
    if (entry.is_regular_file()) results.push_back(entry.path());
  fs::remove(results.at(0));
  const Ended half = sweep.does("plot");
  CHECK(half.exit_code == 1);
  CHECK_THAT(half.err, Catch::Contains("has not been simulated yet") && Catch::EndsWith("wires.svg of 1 point\n"));
  fs::remove(results.at(1));
  const Ended none = sweep.does("plot");
  CHECK(none.exit_code == 1);
  CHECK_THAT(none.err, Catch::Contains("holds no results to draw yet"));
}

TEST_CASE("sweep plot draws the columns that are asked for, and refuses others") {
  require_gnuplot();
  const Sweep sweep;
  REQUIRE(sweep.does("run").exit_code == 0);
  CHECK(sweep.does("plot", {"--x", "latency", "--y", "bandwidth"}).exit_code == 0);
  CHECK_THAT(content(sweep.at("r/wires.svg")), Catch::Contains(">latency (µs)<") &&
                                                   Catch::Contains(">bandwidth (MB/s)<") &&
                                                   Catch::Contains(">pcie_gen2_x8<"));
  CHECK(sweep.does("plot", {"--x", "wire"}).exit_code == 0);  // a bar each
  for (const auto& [option, column, why] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"--x", "latensy", "unknown column \"latensy\"; did you mean \"latency\"?"},
           {"--y", "wire", "holds text"}}) {
    const Ended end = sweep.does("plot", {option, column});
    CHECK(end.exit_code == 2);
    CHECK_THAT(end.err, Catch::Contains(why));
    CHECK(std::count(end.err.begin(), end.err.end(), '\n') == 1);
  }
}

TEST_CASE("sweep plot draws the columns that the sweep file names, or those of the command line") {
  require_gnuplot();
  const TemporaryFolder folder;
  const auto file = folder.write("s.json", R"({"run": {"$use": ")" + configs + R"(/runs/tca_pio_ping_pong.json",
    "scenario": {"iterations": 1, "sizes": ["8 B", "256 B"]}}, "axes": [{"name": "seed", "path": "/options/seed",
    "values": [1, 2]}], "plot": {"x": "latency", "y": ["bandwidth"], "by": ["seed"]}})");
  const auto sweep = [&](const std::string& action, const std::vector<std::string>& more) {
    std::vector<std::string> words{"sweep", action, file.string(), "--out", (folder.path() / "r").string()};
    words.insert(words.end(), more.begin(), more.end());
    const Ended end = run_program(words);
    CHECK(end.exit_code == 0);
    return content(folder.path() / "r" / "s.dat");
  };
  sweep("run", {});
  CHECK_THAT(sweep("plot", {}),
             Catch::Contains("# Curves: 'seed'\n# index 0: 'latency (µs)' 'bandwidth (MB/s)' '1'\n"));
  CHECK_THAT(sweep("plot", {"--x", "size", "--by", "iterations"}),
             Catch::Contains("# Curves: 'iterations'\n# index 0: 'message size (bytes)' 'bandwidth (MB/s)' '1'\n"));
}

TEST_CASE("sweep plot without gnuplot is refused with the name of the package") {
  const Sweep sweep;
  REQUIRE(sweep.does("run").exit_code == 0);
  Surroundings bare;
  bare.environment = {{"PATH", "/nonexistent"}};
  const Ended end = sweep.does("plot", {}, bare);
  CHECK(end.exit_code == 2);
  CHECK_THAT(end.err, Catch::Contains("apt-get install gnuplot-nox"));
}

}  // namespace sweep_plot_test
