// SPDX-License-Identifier: Apache-2.0
// Which folder of configs a command reads when the command line names no file.
#include <filesystem>

#include "support/catch.hpp"
#include "support/gnuplot.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace configs_test {

using namespace tsunagi::test;
namespace fs = std::filesystem;

namespace {

/// A folder `configs` with one figure without a run, called like that.
std::string figures_with(const std::string& id) {
  return R"({"system": "s", "paper": "p", "figures": [{"id": ")" + id +
         R"(", "measure": "m", "compare": "at_most", "value": 1, "unit": "us", "section": "1"}]})";
}

/// What a command says in a folder, without TSUNAGI_CONFIGS.
Ended in(const fs::path& folder, const std::vector<std::string>& arguments) {
  Surroundings there;
  there.folder = folder.string();
  there.environment = {{"TSUNAGI_CONFIGS", ""}};
  return run_program(arguments, there);
}

}  // namespace

TEST_CASE("configs: a changed copy in the working directory is what check judges") {
  const TemporaryFolder folder;
  fs::copy(TSUNAGI_TEST_CONFIGS, folder.path() / "configs", fs::copy_options::recursive);
  const std::vector<std::string> check{"check", "--id", "p2-max-hops-8"};
  const Ended same = in(folder.path(), check);
  CHECK(same.exit_code == 0);
  CHECK_THAT(same.err, Catch::Contains("configs: configs (in the working directory)\n"));
  folder.write("configs/machines/tca_ring_8.json", R"({
    "name": "t", "topology": {"kind": "tca", "nodes": 16, "rings": 2, "node": {"$use": "../parts/ha_pacs_tca_node.json"},
    "cable": {"$use": "../parts/pcie_cable_gen2_x8.json"}}})");
  const Ended changed = in(folder.path(), check);
  CHECK(changed.exit_code == 1);
  CHECK_THAT(changed.out, Catch::Contains("miss"));
}

TEST_CASE("configs: --configs goes before TSUNAGI_CONFIGS, and that before the working directory") {
  const TemporaryFolder folder;
  for (const char* name : {"option", "environment", "work/configs"})
    folder.write(name + std::string("/figures/s.json"), figures_with(fs::path(name).filename().string()));
  Surroundings there;
  there.folder = (folder.path() / "work").string();
  there.environment = {{"TSUNAGI_CONFIGS", (folder.path() / "environment").string()}};
  const std::string option = (folder.path() / "option").string();
  const Ended both = run_program({"list", "figures", "--configs", option}, there);
  CHECK_THAT(both.out, Catch::Contains("option   s: m") && !Catch::Contains("p2-"));
  CHECK(both.err.empty());
  const Ended environment = run_program({"list", "figures"}, there);
  CHECK_THAT(environment.out, Catch::Contains("environment  s: m"));
  CHECK_THAT(environment.err, Catch::Contains("environment ($TSUNAGI_CONFIGS)\n"));  // nothing else shows it
  CHECK_THAT(in(folder.path() / "work", {"list", "figures"}).out, Catch::Contains("configs  s: m"));
}

TEST_CASE("configs: a folder of that name that is not ours is left alone, and what is read instead is told") {
  const TemporaryFolder folder;
  folder.write("configs/figures/theirs.json", R"({"pictures": []})");
  folder.write("configs/app.json", "{}");
  const Ended end = in(folder.path(), {"list", "figures"});
  CHECK_THAT(end.out, Catch::Contains("p2-theoretical-peak"));
  CHECK_THAT(end.err, Catch::StartsWith("configs: /") && !Catch::Contains("working directory"));
}

TEST_CASE("configs: a slip in one's own figures is told, no other figures are taken for them") {
  const TemporaryFolder folder;
  folder.write("configs/figures/s.json", R"({"figures": [)");
  const Ended end = in(folder.path(), {"check"});
  CHECK(end.exit_code == 2);
  CHECK(end.out.empty());
  CHECK_THAT(end.err, Catch::Contains("configs/figures/s.json:1:"));
}

TEST_CASE("configs: a plot shows the figures of the working directory") {
  require_gnuplot();
  const TemporaryFolder folder;
  fs::copy(TSUNAGI_TEST_CONFIGS, folder.path() / "configs", fs::copy_options::recursive);
  folder.write("configs/figures/peach2.json", R"({"system": "s", "paper": "p", "figures": [
    {"id": "mine", "measure": "m", "compare": "at_most", "value": 7, "unit": "us", "section": "1",
     "basis": "unseen", "first_run": "2026-11-20", "runs": [{"name": "pio", "file": "../runs/tca_pio_ping_pong.json"}], "expression": "min(pio.latency)/us",
     "point": {"x": "size", "at": "8 B", "y": "latency"}}]})");
  const Ended end = in(folder.path(), {"run", "configs/runs/tca_pio_ping_pong.json", "--set", "/scenario/iterations=1",
                                       "--set", R"(/scenario/sizes=["8 B", "64 B"])", "--term"});
  CHECK(end.exit_code == 0);
  CHECK_THAT(end.out, Catch::Contains("≤ 7 µs (mine)") && !Catch::Contains("p2-pio"));
  CHECK_THAT(end.err, Catch::Contains("configs: configs (in the working directory)\n"));
}

}  // namespace configs_test
