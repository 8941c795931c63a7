// SPDX-License-Identifier: Apache-2.0
// Many places by one path, in --set, --vary and sweeps; links by their generation, flights by lengths.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/refused.hpp"
#include "support/temporary_folder.hpp"

namespace places_test {

using namespace tsunagi::test;
using nlohmann::ordered_json;

namespace {

const std::string configs = TSUNAGI_TEST_CONFIGS;
const std::string dma = configs + "/runs/tca_dma_ping_pong.json";

Ended run(std::vector<std::string> more) {
  std::vector<std::string> arguments{
      "run", dma, "--set", R"(/scenario/sizes=["1 MiB"])", "--set", "/scenario/iterations=1"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(arguments);
}

/// All values that PCIe links of a resolved config have there.
void collect(const ordered_json& value, const std::string& key, std::set<std::string>& out) {
  if (value.is_object() && value.value("kind", "") == "pcie") out.insert(value.at(key).dump());
  for (const auto& child : value)
    if (child.is_structured()) collect(child, key, out);
}

std::set<std::string> of_links(const std::vector<std::string>& sets, const std::string& key) {
  std::vector<std::string> arguments{"run", dma, "--print-config"};
  for (const std::string& s : sets) arguments.insert(arguments.end(), {"--set", s});
  const Ended end = run_program(arguments);
  CAPTURE(sets, end.err);
  REQUIRE(end.exit_code == 0);
  std::set<std::string> out;
  collect(ordered_json::parse(end.out), key, out);
  return out;
}

}  // namespace

TEST_CASE("the MPS of a whole pair of nodes is one --set") {
  CHECK(of_links({"[kind=pcie]/max_payload_size=128 B"}, "max_payload_size") == std::set<std::string>{"\"128 B\""});
  const Ended end = run({"--set", "[kind=pcie]/max_payload_size=128 B"});
  CHECK(end.exit_code == 0);
  CHECK(end.err.empty());
  // 4 GB/s of Gen2 x8: 128 of 152 bytes a packet (16 of header, 8 of framing), with completions 128 of 148.
  CHECK_THAT(end.out, Catch::Contains("3.37 GB/s  link payload, node0.peach2.e") &&
                          Catch::Contains("3.46 GB/s  completions, node0.rc"));
}

TEST_CASE("generations of all links are one --vary") {
  const Ended end = run({"--vary", "[kind=pcie]/generation=2,3", "--format", "csv"});
  CHECK(end.exit_code == 0);
  CHECK(end.err.empty());
  CHECK_THAT(end.out,
             Catch::StartsWith("generation,method,") && Catch::Contains("\n2,dma,") && Catch::Contains("\n3,dma,"));
  for (const auto& [generation, rate, coding] :
       {std::tuple("1", "\"2.5 GT/s\"", "\"8b/10b\""), std::tuple("3", "\"8 GT/s\"", "\"128b/130b\"")}) {
    const std::string set = std::string("[kind=pcie]/generation=") + generation;
    CHECK(of_links({set}, "rate") == std::set<std::string>{rate});
    CHECK(of_links({set}, "coding") == std::set<std::string>{coding});
  }
}

TEST_CASE("paths begin anywhere, and have stars and conditions") {
  CHECK(of_links({"**/wire[kind=pcie]/lanes=4"}, "lanes") == std::set<std::string>{"4"});
  CHECK(of_links({"[kind=pcie][lanes=16]/lanes=4"}, "lanes") == std::set<std::string>{"4", "8"});
  CHECK(of_links({"/machine/topology/links/*/wire/flight=3 m"}, "flight") ==
        std::set<std::string>{"\"1 ns\"", "\"15 ns\""});
  CHECK(of_links({"[kind=pcie]/bit_error_rate=1e-9"}, "bit_error_rate") ==
        std::set<std::string>{"1e-09"});  // a default
}

TEST_CASE("a path without a place is refused with what there is") {
  expect_refused({"run", dma, "--set", "[kind=pcie]/lane=4"},
                 "--set [kind=pcie]/lane: there is no \"lane\" below \"[kind=pcie]\"; did you mean \"lanes\"? keys");
  expect_refused({"run", dma, "--set", "/machine/topology/links/*/wier/rate=1"}, "did you mean \"wire\"?");
  expect_refused({"run", dma, "--set", "[kind=pcei]/lanes=4"},
                 "no object has the kind \"pcei\"; did you mean \"pcie\"?");
  expect_refused({"run", dma, "--set", "[kind=pcie]/lanes"}, "needs the form POINTER=VALUE");
  expect_refused({"run", dma, "--vary", "[kind=pcie]/lane=4,8"}, "--vary [kind=pcie]/lane: there is no \"lane\"");
  expect_refused({"run", dma, "--vary", "[kind=pcie]/lanes=4,8", "--vary", "lanes=1"}, "which axis \"");
  expect_refused({"draw", configs + "/machines/tca_pair.json", "--set", "[kind=pcie]/lane=4"}, "mean \"lanes\"?");
  expect_refused({"trace", dma, "--out", "-", "--set", "**/hard_ip_cycle=4"}, "did you mean \"hard_ip_cycles\"?");
  expect_refused({"run", dma, "--set", "[kind=pcie]/max_payload_size=100 B"}, "must be one of 128 B, 256 B,");
}

TEST_CASE("retimers delay a link beside its flight, and beside its cable's length") {
  const auto median = [](const std::string& retimers, const std::string& set) {
    const Ended end = run_program({"run", configs + "/runs/pcie_lat_rd.json", "--set", R"(/scenario/sizes=["8 B"])",
                                   "--set", "[kind=pcie]/retimers=" + retimers, "--set",
                                   "[kind=pcie]/retimer_latency=12 ns", "--set", set, "--format", "json"});
    CAPTURE(end.err);
    REQUIRE(end.exit_code == 0);
    return ordered_json::parse(end.out).at("rows").at(0).at("median_fs").get<std::int64_t>();
  };
  // A read and its completion pass two of 12 ns each; the clocks at both ends move it by a cycle at most.
  for (const char* set : {"[kind=pcie]/flight=1 ns", "/machine/topology/links/0/length=11 m"}) {
    CAPTURE(set);
    CHECK(median("2", set) - median("0", set) == Approx(48'000'000).margin(2'000'000));
  }
}

TEST_CASE("a rate that does not fit its coding warns, once") {
  const Ended end = run({"--set", "[kind=pcie]/rate=8 GT/s"});
  CHECK(end.exit_code == 0);
  CHECK_THAT(end.err, Catch::StartsWith("--set [kind=pcie]/rate: /machine/") &&
                          Catch::Contains("warning: 8 GT/s does not fit the coding 8b/10b, which is for 2.5, 5 GT/s; "
                                          "generation 3 has this rate, with its coding\n"));
  CHECK(std::count(end.err.begin(), end.err.end(), '\n') == 1);
}

TEST_CASE("validate, draw and explain warn of such a rate as run does, once") {
  const TemporaryFolder folder;
  const std::string file =
      folder
          .write("odd.json",
                 R"({"$use": ")" + configs +
                     R"(/machines/tca_pair.json", "topology": {"links": [{"ends": ["node0.peach2.e", )" +
                     R"("node1.peach2.w"], "wire": {"kind": "pcie", "rate": "8 GT/s", "coding": "8b/10b"}}]}})")
          .string();
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"validate", file}, {"draw", file, "--out", (folder.path() / "odd.svg").string()}}) {
    const Ended end = run_program(command);
    CHECK(end.exit_code == 0);
    CHECK_THAT(end.err, Catch::StartsWith(file + ":1:") && Catch::Contains("warning: 8 GT/s does not fit the coding"));
    CHECK(std::count(end.err.begin(), end.err.end(), '\n') == 1);
  }
  const Ended explained =
      run_program({"explain", configs + "/runs/tca_pio_ping_pong.json", "--set", "[kind=pcie]/rate=8 GT/s"});
  CHECK(std::count(explained.err.begin(), explained.err.end(), '\n') == 1);
}

TEST_CASE("InfiniBand wires of a larger MTU than the library's warn, once, where that is written") {
  const std::string mtu = "[kind=infiniband]/mtu=4 KiB", run = configs + "/runs/ib_write_lat.json";
  for (const char* command : {"run", "explain"}) {
    const Ended end = run_program({command, run, "--set", mtu, "--set", "/scenario/sizes=[\"8 B\"]"});
    CHECK(end.exit_code == 0);
    CHECK_THAT(end.err, Catch::Contains("/parts/verbs.json:4:") &&
                            Catch::Contains("/library/mtu: warning: packets have 2 KiB at most, though every "
                                            "InfiniBand wire carries 4 KiB; that is used only if it is written here"));
    CHECK(std::count(end.err.begin(), end.err.end(), '\n') == 1);
  }
  const Ended both =
      run_program({"run", run, "--set", mtu, "--set", "/library/mtu=4 KiB", "--set", "/scenario/sizes=[\"8 B\"]"});
  CHECK(both.exit_code == 0);
  CHECK(both.err.empty());
}

TEST_CASE("a sweep's axes have many places, too") {
  const TemporaryFolder folder;
  const auto sweep = [&](const std::string& path) {
    return folder
        .write("s.json", R"({"run": ")" + dma + R"(", "axes": [{"name": "mps", "path": ")" + path +
                             R"(", "values": ["128 B", "256 B"]}]})")
        .string();
  };
  const std::string file = sweep("[kind=pcie]/max_payload_size");
  const Ended plan = run_program({"sweep", "plan", file});
  CHECK(plan.exit_code == 0);
  CHECK(std::count(plan.out.begin(), plan.out.end(), '\n') == 3);
  expect_refused({"sweep", "plan", file, "--set", "**/wire/max_payload_size=128 B"}, "leave out one of the two");
  expect_refused({"sweep", "plan", sweep("[kind=pcie]/max_payload")},
                 "/axes/0: [kind=pcie]/max_payload: there is no \"max_payload\"");
}

}  // namespace places_test
