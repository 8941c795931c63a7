// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

using namespace tsunagi::test;

namespace {

std::vector<std::string> small_run(const std::vector<std::string>& more) {
  std::vector<std::string> out{"run",   TSUNAGI_TEST_CONFIGS "/runs/tca_pio_ping_pong.json",
                               "--set", "/scenario/iterations=3",
                               "--set", "/scenario/sizes=[\"8 B\", \"64 B\"]"};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

bool has_gnuplot() { return std::filesystem::exists("/usr/bin/gnuplot"); }

}  // namespace

TEST_CASE("plot: run --plot draws the rows that it prints") {
  if (!has_gnuplot()) return;
  const TemporaryFolder folder;
  const auto file = folder.path() / "pio.svg";
  const Ended end = run_program(small_run({"--plot", file.string(), "--format", "csv"}));
  CHECK(end.exit_code == 0);
  CHECK(end.out == run_program(small_run({"--format", "csv"})).out);
  for (const char* name : {"pio.svg", "pio.gp", "pio.dat"}) CHECK(std::filesystem::exists(folder.path() / name));
}

TEST_CASE("plot: run --term draws instead of printing") {
  if (!has_gnuplot()) return;
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
  refused({"--plot", "pio.png"}, "--plot draws an SVG");
  refused({"--plot", "/nonexistent/pio.svg"}, "there is no folder");
  Surroundings bare;
  bare.environment = {{"PATH", "/nonexistent"}};
  refused({"--term"}, "apt-get install gnuplot-nox", bare);
}
