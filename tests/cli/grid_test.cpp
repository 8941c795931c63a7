// SPDX-License-Identifier: Apache-2.0
// How scenarios lay ranks out in a grid that nobody gave.
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/program.hpp"

namespace grid_test {

using namespace tsunagi::test;

namespace {

const std::string configs = TSUNAGI_TEST_CONFIGS;

nlohmann::json result_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "run");
  arguments.insert(arguments.end(), {"--format", "json"});
  const Ended end = run_program(arguments);
  INFO(end.err);
  REQUIRE(end.exit_code == 0);
  return nlohmann::json::parse(end.out);
}

const std::string network = R"(, "layout": "network")";

/// A row of a halo exchange on a machine that comes with the program.
nlohmann::json halo(const std::string& machine, const std::string& more = "") {
  return result_of({configs + "/runs/halo_torus.json", "--set",
                    "/machine={\"$use\": \"" + configs + "/machines/" + machine + ".json\"}", "--set",
                    R"(/scenario={"kind": "halo_exchange", "iterations": 1)" + more + "}"})
      .at("rows")
      .at(0);
}

}  // namespace

TEST_CASE("a halo exchange lies the same on every network unless it is told to lie as that does") {
  for (const char* machine : {"torus_4x4", "ring_16", "hypercube_16", "crossbars_4x4", "fat_tree_16"})
    CHECK(halo(machine).at("grid") == "4x4");
}

TEST_CASE("a halo exchange of layout network lies as its machine does") {
  for (const auto& [machine, grid] : {std::pair{"torus_4x4", "4x4"},
                                      {"ring_16", "16"},
                                      {"hypercube_16", "2x2x2x2"},
                                      {"crossbars_4x4", "4x4"},
                                      {"tca_beside_fat_tree_16", "8x2"}})
    CHECK(halo(machine, network).at("grid") == grid);
}

TEST_CASE("a halo exchange lies evenly where its machine lies in no box of so many ranks and dimensions") {
  CHECK(halo("fat_tree_16", network).at("grid") == "4x4");
  CHECK(halo("torus_4x4", network + R"(, "ranks": 12)").at("grid") == "4x3");
  CHECK(halo("torus_4x4", network + R"(, "faces": ["8 B", "8 B", "8 B"])").at("grid") == "4x2x2");
  CHECK(halo("ring_16", R"(, "faces": ["8 B", "8 B", "8 B"])").at("grid") == "4x2x2");
}

TEST_CASE("a grid that is given is taken, and rows do not repeat it") {
  const auto row = halo("torus_4x4", R"(, "grid": [8, 2])");
  CHECK_FALSE(row.contains("grid"));
  CHECK(row.at("time_fs") != halo("torus_4x4").at("time_fs"));
}

TEST_CASE("patterns of traffic see the machine's dimensions") {
  const auto digest = [](const std::string& grid) {
    return result_of({configs + "/runs/torus_bursts.json", "--set", "/scenario/grid=" + grid, "--set",
                      R"(/scenario/loads=["30 %"])", "--set", R"(/scenario/window="2 us")"})
        .at("digest");
  };
  CHECK(digest("[]") == digest("[8, 8]"));
  CHECK(digest("[]") != digest("[64]"));
}

}  // namespace grid_test
