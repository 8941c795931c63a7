// SPDX-License-Identifier: Apache-2.0
// Files to begin with: valid as they are, wherever they are written.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/refused.hpp"
#include "support/temporary_folder.hpp"

namespace new_test {

using namespace tsunagi::test;
namespace fs = std::filesystem;

namespace {

/// A folder with our configs in it, as a user has them who works in the tree.
class Place {
 public:
  Place() { fs::create_symlink(TSUNAGI_TEST_CONFIGS, folder_.path() / "configs"); }

  Ended run(const std::vector<std::string>& arguments, const std::string& configs = "") const {
    Surroundings there;
    there.folder = folder_.path().string();
    there.environment = {{"TSUNAGI_CONFIGS", configs}};
    return run_program(arguments, there);
  }
  /// It works, and what it wrote is valid.
  std::string made(const std::vector<std::string>& arguments, const std::string& file) const {
    const Ended end = run(arguments);
    INFO(end.err);
    CHECK(end.exit_code == 0);
    CHECK(end.out.empty());
    const Ended checked = run({"validate", file});
    CHECK(checked.out == file + ": ok\n");
    CHECK(checked.err.empty());
    return content(folder_.path() / file);
  }
  void refused(const std::vector<std::string>& arguments, const std::string& says) const {
    const auto files = [&] {
      return std::distance(fs::recursive_directory_iterator(folder_.path()), fs::recursive_directory_iterator());
    };
    const auto before = files();
    expect_refusal(run(arguments), says);
    CHECK(files() == before);
  }
  const fs::path& path() const { return folder_.path(); }
  fs::path write(const std::string& name, const std::string& text) const { return folder_.write(name, text); }

 private:
  TemporaryFolder folder_;
};

nlohmann::json parsed(const std::string& text) { return nlohmann::json::parse(text, nullptr, true, true); }

}  // namespace

TEST_CASE("a machine, a run and a sweep of one's own take a command each and run at once") {
  const Place place;
  const std::string machine = place.made({"new", "machine", "mine", "--nodes", "3"}, "mine.json");
  CHECK(parsed(machine)["name"] == "mine");
  CHECK(parsed(machine)["topology"]["terminals"] == 3);
  CHECK(parsed(machine)["topology"]["node"]["$use"] == "configs/parts/ib_node.json");
  CHECK_THAT(machine, Catch::Contains("tsunagi draw mine.json") && !Catch::Contains("@"));
  const std::string run =
      place.made({"new", "run", "halo", "--machine", "mine.json", "--scenario", "halo_exchange"}, "halo.json");
  CHECK(parsed(run)["machine"]["$use"] == "mine.json");
  CHECK(parsed(run)["library"]["$use"] == "configs/parts/verbs.json");
  CHECK_THAT(run, Catch::Contains("mvapich2_1_9b") && Catch::Contains("// \"grid\": [],") &&
                      Catch::Contains("bytes of a face in each dimension") && !Catch::Contains("@"));
  CHECK_THAT(place.run({"run", "halo.json"}).out, Catch::StartsWith("halo_exchange on mine by verbs\n\nranks  grid"));
  const std::string sweep = place.made({"new", "sweep", "several", "--run", "halo.json"}, "several.json");
  CHECK(parsed(sweep)["axes"][0]["name"] == "seed");  // three nodes, one size: nothing else to vary
  const Ended swept = place.run({"sweep", "several.json"});
  CHECK(swept.exit_code == 0);
  CHECK_THAT(swept.err, Catch::Contains("0 failed"));
}

TEST_CASE("every start of a machine is valid, and so are its runs") {
  const Place place;
  for (const std::string start : {"infiniband", "tca", "torus", "cable", "torus_8x8", "tca_pair", "arpanet_1970"}) {
    CAPTURE(start);
    CHECK(parsed(place.made({"new", "machine", start, "--from", start}, start + ".json"))["name"] == start);
    place.made({"new", "run", start + "_run", "--machine", start + ".json"}, start + "_run.json");
  }
}

TEST_CASE("every scenario has a start that is valid, on a machine that can run it") {
  const Place place;
  const auto start = [&](const std::string& scenario, const std::string& machine) {
    CAPTURE(scenario);
    const std::string text =
        place.made({"new", "run", scenario, "--machine", machine, "--scenario", scenario}, scenario + ".json");
    CHECK(parsed(text)["scenario"]["kind"] == scenario);
  };
  for (const char* scenario : {"neighbours", "pairs", "put", "all_to_all", "broadcast", "reduction", "barrier", "osu",
                               "posted_receives", "random_pairs", "stream"})
    start(scenario, "tca_ring_8");
  for (const char* scenario : {"get", "perftest", "traffic"}) start(scenario, "ib_pair_fdr10");
  start("copy", "ppx");
  start("pcie_bench", "pcie_bench_broadwell");
}

TEST_CASE("parts are found from wherever a start is written") {
  const Place place;
  fs::create_directories(place.path() / "a/b");
  CHECK(parsed(place.made({"new", "machine", "m", "--out", "a/b/m.json"}, "a/b/m.json"))["topology"]["node"]["$use"] ==
        "../../configs/parts/ib_node.json");
  const std::string run = place.made({"new", "run", "r", "--machine", "a/b/m.json", "--out", "a/r.json"}, "a/r.json");
  CHECK(parsed(run)["machine"]["$use"] == "b/m.json");
  // A folder that was named wholly is named wholly.
  const Ended end = place.run({"new", "machine", "far"}, TSUNAGI_TEST_CONFIGS);
  CHECK(end.exit_code == 0);
  CHECK(parsed(content(place.path() / "far.json"))["topology"]["node"]["$use"] == TSUNAGI_TEST_CONFIGS
        "/parts/ib_node.json");
  CHECK(place.run({"validate", "far.json"}).exit_code == 0);
}

TEST_CASE("a machine begins as a file of one's own does, however that is written") {
  const Place place;
  place.write("a/own.json", R"({"name": "a", "topology": {"kind": "crossbar", "terminals": 2, "attach": "hca.port1",
"node": {"$use": "../configs/parts/ib_node.json"}, "router": { "$use" :"../configs/parts/switchx_fdr.json"},
"wire": {"$use": "../configs/parts/infiniband_fdr_4x.json"}}})");
  const auto machine = parsed(
      place.made({"new", "machine", "a_longer_name", "--from", "a/own.json", "--nodes", "16"}, "a_longer_name.json"));
  CHECK(machine["name"] == "a_longer_name");
  CHECK(machine["topology"]["terminals"] == 16);
  CHECK(machine["topology"]["router"]["$use"] == "configs/parts/switchx_fdr.json");
}

TEST_CASE("a machine of one's own keeps all but its name, whatever stands before that") {
  const Place place;
  place.write("own.json",
              "{\"title\": \"\u20ac\u20ac\", \"name\": \"a\\\"b, c\", \"topology\": "
              "{\"kind\": \"crossbar\", \"terminals\": 2/*!*/, \"attach\": \"hca.port1\",\n"
              "\"node\": {\"$use\": \"configs/parts/ib_node.json\"},"
              "\"router\": {\"$use\": \"configs/parts/switchx_fdr.json\"},"
              "\"wire\": {\"$use\": \"configs/parts/infiniband_fdr_4x.json\"}}}");
  CHECK_THAT(place.made({"new", "machine", "m", "--from", "own.json", "--nodes", "16"}, "m.json"),
             Catch::StartsWith("{\"title\": \"\u20ac\u20ac\", \"name\": \"m\", \"topology\": "
                               "{\"kind\": \"crossbar\", \"terminals\": 16/*!*/, "));
}

TEST_CASE("a start may be named as its file") {
  const Place place;
  CHECK(parsed(place.made({"new", "machine", "mine.json"}, "mine.json"))["name"] == "mine");
  place.refused({"new", "machine", ".json"}, "\".json\" is no name for a machine");
}

TEST_CASE("a start to standard output is what else would stand in the file") {
  const Place place;
  const Ended end = place.run({"new", "machine", "m", "--out", "-"});
  CHECK(end.exit_code == 0);
  CHECK(end.out == place.made({"new", "machine", "m"}, "m.json"));
}

TEST_CASE("a start does not write over a file unless it is told to") {
  const Place place;
  place.write("mine.json", "precious");
  place.refused({"new", "machine", "mine"}, "mine.json is there already; --force writes over it");
  CHECK(content(place.path() / "mine.json") == "precious");
  place.made({"new", "machine", "mine", "--force"}, "mine.json");
}

TEST_CASE("starts that cannot be are refused, and nothing is written") {
  const Place place;
  place.refused({"new"}, "a new what?");
  place.refused({"new", "machin"}, "did you mean \"machine\"?");
  place.refused({"new", "run", "r", "--nodes", "3"}, "--nodes is for a new machine");
  place.refused({"new", "machine", "m", "--scenario", "osu"}, "--scenario is for a new run");
  place.refused({"new", "machine", "../m"}, "\"../m\" is no name for a machine");
  place.refused({"new", "machine", "m", "--from", "toru"}, "did you mean \"torus\"?");
  place.refused({"new", "machine", "m", "--from", "torus", "--nodes", "4"}, "does not say how many nodes");
  place.refused({"new", "machine", "m", "--from", "tca", "--nodes", "17"},
                "m.json:12:14: /topology/nodes: must be 2 to 16, not 17");
  place.refused({"new", "machine", "m", "--nodes", "0"}, "--nodes must be at least 1");
  place.refused({"new", "run", "r", "--machine", "tca_pear"}, "did you mean \"tca_pair\"?");
  place.refused({"new", "run", "r", "--machine", "configs/runs/incast.json"}, "is no machine, but of type \"run\"");
  place.refused({"new", "run", "r", "--scenario", "ping_png"}, "did you mean \"ping_pong\"?");
  place.refused({"new", "run", "r", "--scenario", "halo"}, "did you mean \"halo_exchange\"?");
  place.refused({"new", "run", "r", "--scenario", "p"}, "known scenarios: ping_pong");
  place.refused({"new", "run", "r", "--library", "mp"}, "did you mean \"mpi\"?");
  place.refused({"new", "run", "r", "--machine", "torus_4x4", "--scenario", "copy", "--library", "datagram"},
                "torus_4x4.json: no copy by datagram: the library copies nothing between devices");
  place.refused({"new", "sweep", "s", "--run", "configs/machines/ring_16.json"}, "is no run, but of type \"machine\"");
  place.refused({"new", "machine", "m", "--out", "nowhere/m.json"}, "there is no folder nowhere");
}

}  // namespace new_test
