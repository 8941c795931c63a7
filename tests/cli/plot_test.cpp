// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "support/catch.hpp"
#include "support/gnuplot.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace plot_test {

using namespace tsunagi::test;

namespace {

std::vector<std::string> small_run(const std::vector<std::string>& more) {
  std::vector<std::string> out{"run",   TSUNAGI_TEST_CONFIGS "/runs/tca_pio_ping_pong.json",
                               "--set", "/scenario/iterations=3",
                               "--set", "/scenario/sizes=[\"8 B\", \"64 B\"]"};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

}  // namespace

TEST_CASE("plot: run --plot draws the rows that it prints, and the published figures of the run") {
  require_gnuplot();
  const TemporaryFolder folder;
  const auto file = folder.path() / "pio.svg";
  const Ended end = run_program(small_run({"--plot", file.string(), "--format", "csv"}));
  CHECK(end.exit_code == 0);
  CHECK(end.out == run_program(small_run({"--format", "csv"})).out);
  for (const char* name : {"pio.svg", "pio.gp", "pio.dat"}) CHECK(std::filesystem::exists(folder.path() / name));
  CHECK_THAT(content(folder.path() / "pio.dat"),
             Catch::Contains("8 900 900 3 \"0.9 µs (p2-pio-cpu-cpu-min-latency)\"\n"));
  CHECK_THAT(content(file), Catch::Contains(">0.9 µs<") && Catch::Contains(">(p2-pio-cpu-cpu-min-latency)<") &&
                                Catch::Contains(">published<") && Catch::Contains(">message size (bytes)<"));
}

TEST_CASE("plot: bounds look like bounds, figures of sizes that the run leaves out are left out") {
  require_gnuplot();
  const TemporaryFolder folder;
  const auto data = [&](const std::string& sizes) {
    const Ended end = run_program({"run", TSUNAGI_TEST_CONFIGS "/runs/tca_dma_ping_pong.json", "--set",
                                   "/scenario/iterations=1", "--set", "/scenario/warm_up=0", "--set",
                                   "/scenario/sizes=" + sizes, "--plot", (folder.path() / "dma.svg").string()});
    CHECK(end.exit_code == 0);
    return content(folder.path() / "dma.dat");
  };
  CHECK_THAT(data(R"(["8 B", "8 KiB", "1 MiB"])"), Catch::Contains("\n8192 5 5 10 \"≤ 5 µs (p2-dma-8kb-latency)\"\n") &&
                                                       Catch::Contains("\n1048576 3.5 3.5 3 \"3.5 GB/s"));
  CHECK_THAT(data(R"(["8 B", "64 B"])"),
             Catch::Contains("p2-dma-cpu-src-min-latency") && !Catch::Contains("p2-dma-8kb-latency"));
}

TEST_CASE("plot: the bound of a bandwidth is a line with its name, one size of several methods is bars") {
  require_gnuplot();
  const TemporaryFolder folder;
  const auto script = [&](const std::string& sizes) {
    const Ended end = run_program({"run", TSUNAGI_TEST_CONFIGS "/runs/tca_ping_pong.json", "--set",
                                   "/scenario/iterations=1", "--set", "/scenario/warm_up=0", "--set",
                                   "/scenario/sizes=" + sizes, "--plot", (folder.path() / "p.svg").string()});
    CHECK(end.exit_code == 0);
    return content(folder.path() / "p.gp");
  };
  CHECK_THAT(script(R"(["8 B", "1 MiB"])"),
             Catch::Contains("set label '2.67 GB/s, whole words of the hard IP (pio)'") &&
                 Catch::Contains("set label '3.56 GB/s, whole words of the hard IP (dma)'"));
  CHECK_THAT(script(R"(["8 B"])"), Catch::Contains("with boxes") && Catch::Contains("set xtics ('pio' 0, 'dma' 1)"));
}

TEST_CASE("plot: a run that uses a figure's run shows the figure, another run does not") {
  require_gnuplot();
  const TemporaryFolder folder;
  const auto drawn = [&](const std::string& run) {
    const Ended end = run_program(
        {"run", run, "--set", "/scenario/iterations=1", "--set", R"(/scenario/sizes=["8 B", "64 B"])", "--term"});
    CHECK(end.exit_code == 0);
    return end.out;
  };
  const auto mine = folder.write("mine.json", R"({"$use": ")" TSUNAGI_TEST_CONFIGS R"(/runs/tca_pio_ping_pong.json"})");
  CHECK_THAT(drawn(mine.string()), Catch::Contains("B published latency: 0.9 µs (p2-pio-cpu-cpu-min-latency)"));
  CHECK_THAT(drawn(TSUNAGI_TEST_CONFIGS "/runs/tca_ping_pong.json"), !Catch::Contains("published"));
}

TEST_CASE("plot: figures that cannot be read are told, the plot is drawn") {
  require_gnuplot();
  const TemporaryFolder folder;
  folder.write("figures/a.json", "{\"system\": 1}");
  Surroundings broken;
  broken.environment = {{"TSUNAGI_CONFIGS", folder.path().string()}};
  const Ended end = run_program(small_run({"--term"}), broken);
  CHECK(end.exit_code == 0);
  CHECK_THAT(end.out, Catch::Contains("latency"));
  CHECK_THAT(end.err, Catch::Contains("published figures are left out of the plot: ") && Catch::Contains("a.json:1:"));
}

TEST_CASE("plot: run --term draws instead of printing") {
  require_gnuplot();
  const Ended end = run_program(small_run({"--term"}));
  CHECK(end.exit_code == 0);
  CHECK_THAT(end.out,
             Catch::Contains("latency (ns)") && Catch::Contains("bandwidth (MB/s)") && !Catch::Contains("iterations"));
  CHECK(end.out.find('\x1b') == std::string::npos);
}

TEST_CASE("plot: what cannot be plotted is refused before anything runs") {
  const auto refused = [](const std::vector<std::string>& more, const char* why, const Surroundings& where = {}) {
    const Ended end = run_program(small_run(more), where);
    CHECK(end.exit_code == 2);
    CHECK(end.out.empty());
    CHECK_THAT(end.err, Catch::Contains(why));
  };
  refused({"--x", "size"}, "--x is for a plot; add --plot or --term");
  refused({"--term", "--configs", "/nonexistent"}, "--configs: \"/nonexistent\" is no folder");
  refused({"--plot", "pio.png"}, "--plot draws an SVG");
  refused({"--plot", "/nonexistent/pio.svg"}, "there is no folder");
  Surroundings bare;
  bare.environment = {{"PATH", "/nonexistent"}};
  refused({"--term"}, "apt-get install gnuplot-nox", bare);
}

}  // namespace plot_test
