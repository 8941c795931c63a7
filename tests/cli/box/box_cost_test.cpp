// SPDX-License-Identifier: Apache-2.0
// What a matrix costs, by what is simulated for it, and that what was left out of it is not missed.
#include <nlohmann/json.hpp>

#include "cli/box/boxed.hpp"
#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/sanitized.hpp"
#include "support/temporary_folder.hpp"

namespace box_cost_test {

using namespace tsunagi::test;
using nlohmann::json;

namespace {

const std::string configs = TSUNAGI_TEST_CONFIGS;

/// GB/s of the one copy of a run.
double copied(const std::string& machine, const std::string& cuda, const std::string& from, const std::string& to,
              const std::string& size) {
  const TemporaryFolder folder;
  const json run{
      {"machine", {{"$use", configs + "/machines/" + machine + ".json"}}},
      {"library", {{"$use", configs + "/parts/" + cuda + ".json"}, {"node", ""}, {"gpus", {"gpu0", "gpu1", "gpu4"}}}},
      {"scenario",
       {{"kind", "copies"},
        {"copies", json::array({{{"source", from}, {"target", to}}})},
        {"sizes", {size}},
        {"queued", 2},
        {"alone", json::array()}}}};
  const auto file = folder.write("copy.json", run.dump());
  const Ended end = run_program({"run", file.string(), "--format", "json"});
  CAPTURE(end.err);
  REQUIRE(end.exit_code == 0);
  return json::parse(end.out).at("rows").at(0).at("bandwidth_bytes_per_second").get<double>() * 1e-9;
}

}  // namespace

TEST_CASE("box: what is simulated for eight GPUs, by counts that no machine's speed moves") {
  struct Sample {
    std::string machine;
    int simulations;
    int packet_hops;
    int wakeups;
  };
  // A packet hop costs some 0.55 us: seven million take two seconds of two cores.
  for (const Sample& s : {Sample{"machines/a100_nvswitch.json", 24, 3'313'833, 3'700'000},
                          Sample{"machines/h100_nvswitch.json", 24, 6'376'233, 7'500'000},
                          Sample{"machines/v100_cube_mesh.json", 34, 2'424'364, 2'750'000},
                          Sample{"imports/eight_gpus.xml", 52, 3'896'186, 4'100'000},
                          Sample{"imports/eight_gpus_gen5.xml", 58, 8'576'949, 9'100'000}}) {
    if (sanitized && s.packet_hops > 4'000'000) continue;  // the same code as the others
    CAPTURE(s.machine);
    const json box = boxed({configs + "/" + s.machine});
    CHECK(box.at("simulations") == s.simulations);
    CHECK(box.at("packet_hops") == s.packet_hops);
    CHECK(box.at("wakeups") <= s.wakeups);
  }
}

TEST_CASE("box: two short copies say what long ones reach, and at once each has that of its own links") {
  struct Sample {
    std::string machine;
    std::string cuda;
    std::string to;
    std::string size;
  };
  for (const Sample& s :
       {Sample{"a100_nvswitch", "cuda_12", "gpu1", "12 MiB"}, Sample{"h100_nvswitch", "cuda_12", "gpu4", "18 MiB"},
        Sample{"v100_cube_mesh", "cuda_6_0", "gpu1", "2 MiB"}, Sample{"v100_cube_mesh", "cuda_6_0", "gpu4", "4 MiB"}}) {
    if (sanitized && s.machine != "v100_cube_mesh") continue;  // the same code as the others
    CAPTURE(s.machine, s.to);
    const json box = boxed({configs + "/machines/" + s.machine + ".json", "--size", s.size});
    const double one_way = value(box, "gpu0", s.to, "one_way") * 1e-9;
    CHECK(one_way == Approx(copied(s.machine, s.cuda, "gpu0", s.to, s.size)).epsilon(0.001));
    CHECK(value(box, "gpu0", s.to, "all_at_once") * 1e-9 == Approx(one_way).epsilon(0.02));
    CHECK_THAT(cell(box, "gpu0", s.to, "all_at_once").at("limit").at("kind").get<std::string>(),
               Catch::StartsWith("wire NVLink"));
    // A process at the other socket hears of a copy later, whatever links carry it.
    CHECK(value(box, "gpu4", "gpu0", "latency") > value(box, "gpu0", "gpu4", "latency"));
    // Over PCIe, too.
    CHECK(value(box, "memory", "gpu0", "one_way") * 1e-9 ==
          Approx(copied(s.machine, s.cuda, "host", "gpu0", s.size)).epsilon(0.01));
    CHECK(value(box, "gpu0", "memory", "one_way") * 1e-9 ==
          Approx(copied(s.machine, s.cuda, "gpu0", "host", s.size)).epsilon(0.01));
  }
}

}  // namespace box_cost_test
