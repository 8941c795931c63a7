// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace draw_test {

using namespace tsunagi::test;

namespace {

const std::string configs = TSUNAGI_TEST_CONFIGS;
const std::string pair_file = configs + "/machines/tca_pair.json";

}  // namespace

TEST_CASE("draw: every shipped machine has a picture") {
  for (const auto& entry : std::filesystem::directory_iterator(configs + "/machines")) {
    CAPTURE(entry.path().string());
    const Ended end = run_program({"draw", entry.path().string()});
    CHECK(end.exit_code == 0);
    CHECK(end.err.empty());
    CHECK_THAT(end.out, Catch::StartsWith("<?xml") && Catch::EndsWith("</svg>\n"));
  }
}

TEST_CASE("draw: --out writes a file, - is standard output") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "pair.svg";
  const Ended end = run_program({"draw", pair_file, "--out", file.string()});
  CHECK(end.exit_code == 0);
  CHECK(end.out.empty());
  CHECK(content(file) == run_program({"draw", pair_file, "--out", "-"}).out);
  CHECK(content(file) == run_program({"draw", pair_file}).out);
}

TEST_CASE("draw: of a run, its machine is drawn") {
  CHECK(run_program({"draw", configs + "/runs/tca_pio_ping_pong.json"}).out == run_program({"draw", pair_file}).out);
}

TEST_CASE("draw: a circle of waiting is drawn of a machine that is refused for it, and of routers without classes") {
  const auto draw = [](const std::vector<std::string>& sets) {
    std::vector<std::string> words{"draw", configs + "/machines/arpanet_1970.json"};
    words.insert(words.end(), sets.begin(), sets.end());
    return run_program(words);
  };
  const std::vector<std::string> shortest{"--set", R"(/topology/routes={"kind": "shortest"})"};
  const Ended refused = draw(shortest);
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, Catch::Contains("`tsunagi draw --show circle` draws it"));
  std::vector<std::string> shown = shortest;
  shown.insert(shown.end(), {"--show", "circle"});
  const Ended drawn = draw(shown);
  CHECK(drawn.exit_code == 0);
  CHECK(drawn.err.empty());
  CHECK_THAT(drawn.out, Catch::Contains("circle of waiting") && Catch::Contains("in a circle of 5 links") &&
                            Catch::Contains("sri.p1 to ucla") && Catch::Contains("#b80f1f"));
  CHECK_THAT(draw({"--show", "circle"}).out, Catch::Contains("Packets cannot wait for each other in a circle."));
  const auto ring = [](const char* classes) {
    return run_program({"draw", configs + "/machines/ring_16.json", "--set", "/topology/nodes=6", "--set",
                        std::string("/topology/router/deadlock_free=") + classes, "--show", "circle"})
        .out;
  };
  CHECK_THAT(ring("false"), Catch::Contains("in a circle of 6 links"));
  CHECK_THAT(ring("true"), Catch::Contains("Packets cannot wait for each other in a circle."));
}

TEST_CASE("draw: --set changes what is drawn") {
  const Ended end = run_program({"draw", configs + "/machines/ring_16.json", "--set", "/topology/nodes=3"});
  CHECK(end.exit_code == 0);
  CHECK_THAT(end.out, Catch::Contains("router2") && !Catch::Contains("router3"));
}

TEST_CASE("draw: a sub-cluster of equal nodes shows one of them, --show devices all") {
  const std::string ring = configs + "/machines/tca_ring_16.json";
  const auto count = [](const std::string& text, const std::string& part) {
    int n = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
  };
  const std::string one = run_program({"draw", ring}).out;
  CHECK(count(one, "(peach2)</title>") == 1);
  CHECK(count(one, "(node)</title>") == 16);
  CHECK(count(one, ">PCIe Gen2 x8<") == 1);
  CHECK_THAT(one, Catch::Contains(">node0; node1–node15 are the same<"));
  CHECK(count(run_program({"draw", ring, "--show", "devices"}).out, "(peach2)</title>") == 16);
}

TEST_CASE("draw: wires have their standard's names and rates, and no colour of another kind in one machine") {
  const auto drawn = [](const char* machine) {
    return run_program({"draw", configs + "/machines/" + machine + ".json"}).out;
  };
  const std::string ethernet = drawn("pm_ethernet_16"), myrinet = drawn("pm_myrinet_128");
  CHECK_THAT(ethernet, Catch::Contains(">Ethernet 1 Gb/s<") && Catch::Contains(">PCI-X<"));
  CHECK_THAT(myrinet, Catch::Contains(">Myrinet 250 MB/s<") && Catch::Contains(">PCI-X<"));
  const std::string pcix = "#8c5a2b", on_chip = "#444444";
  CHECK_THAT(ethernet, Catch::Contains(pcix) && Catch::Contains(on_chip) && Catch::Contains("#00805d"));
  CHECK_THAT(myrinet, Catch::Contains(pcix) && Catch::Contains(on_chip) && Catch::Contains("#8a3f9f"));
  CHECK_THAT(drawn("ib_pair_qdr_switch"), Catch::Contains(">InfiniBand QDR"));
}

TEST_CASE("draw: parallel cables are a line each, boxes show their chips") {
  const std::string tree = configs + "/machines/fat_tree_16.json";
  const std::string cables = run_program({"draw", tree, "--set", "/topology/radix=8", "--set", "/topology/levels=2",
                                          "--set", "/topology/cables=[2]"})
                                 .out;
  CHECK_THAT(cables, Catch::Contains("router0.u0 - router4.d0: ") && Catch::Contains("router0.u2 - router4.d4: "));
  const std::string use = "{\"$use\": \"" + configs + "/parts/";
  const Ended box = run_program({"draw", configs + "/machines/ib_fat_tree_16.json", "--set", "/topology/radix=32",
                                 "--set", "/topology/router=" + use + "infinicon_32.json\"}", "--set",
                                 "/topology/wire=" + use + "infiniband_sdr_4x.json\"}"});
  CHECK(box.exit_code == 0);
  CHECK(box.err.empty());
  CHECK_THAT(box.out, Catch::Contains("router0.router0.u0 - router0.router8.d0: "));
}

TEST_CASE("draw: a machine of thousands is summarised") {
  const Ended end = run_program({"draw", configs + "/machines/fat_tree_4096.json"});
  CHECK(end.exit_code == 0);
  CHECK(end.out.size() < 100'000);
  CHECK_THAT(end.out, Catch::Contains(">256 terminals<") && Catch::Contains(">16 routers<"));
}

TEST_CASE("draw: --show adds ports, ranks, lengths and rates") {
  const std::string run = configs + "/runs/tca_pio_ping_pong.json";
  const std::string plain = run_program({"draw", run}).out;
  for (const char* text : {">e<", ">w<", ">rank 0<", ">10 ns<", ">Gen2 x8<"}) CHECK_THAT(plain, !Catch::Contains(text));
  const Ended end = run_program({"draw", run, "--show", "ports,ranks,lengths,rates"});
  CHECK(end.exit_code == 0);
  for (const char* text : {">e<", ">w<", ">rank 0<", ">rank 1<", ">10 ns<", ">Gen2 x8<"})
    CHECK_THAT(end.out, Catch::Contains(text));
}

TEST_CASE("draw: --run makes a heat map of the run, the same each time") {
  const std::vector<std::string> words{"draw",
                                       configs + "/runs/tca_pio_ping_pong.json",
                                       "--run",
                                       "--set",
                                       "/scenario/iterations=3",
                                       "--set",
                                       R"(/scenario/sizes=["4 KiB"])"};
  const Ended end = run_program(words);
  CHECK(end.exit_code == 0);
  CHECK(end.err.empty());
  CHECK_THAT(end.out, Catch::Contains("% of what a wire can carry in the ") && Catch::Contains(">Busiest wires: ") &&
                          Catch::Contains("node0.peach2.e") && Catch::Contains("<title>PIO ping-pong between ") &&
                          !Catch::Contains(">PCIe Gen2 x8<"));
  CHECK(run_program(words).out == end.out);
  // The cable's bytes over what Gen2 x8 carries in the time of the run.
  const std::vector<std::string> counted{"run",    words[1], "--counters", "--format", "json",
                                         words[3], words[4], words[5],     words[6]};
  const nlohmann::json run = nlohmann::json::parse(run_program(counted).out);
  for (const auto& wire : run.at("counters"))
    if (wire.at("from") == "node0.peach2.e") {
      const double bytes = wire.at("payload_bytes").get<double>() + wire.at("header_bytes").get<double>() +
                           wire.at("framing_bytes").get<double>();
      const double part = bytes / 4e9 / run.at("cost").at("simulated_s").get<double>();
      CHECK_THAT(end.out, Catch::Contains("; " + std::to_string(std::lround(100 * part)) + " %</title>"));
    }
}

TEST_CASE("draw: a run that fails has no heat map") {
  const Ended end = run_program(
      {"draw", configs + "/runs/tca_pio_ping_pong.json", "--run", "--set", R"(/options/limit_simulated_time="2 us")"});
  CHECK(end.exit_code == 1);
  CHECK(end.out.empty());
  CHECK_THAT(end.err, Catch::Contains("limit of simulated time"));
}

TEST_CASE("draw: what cannot be drawn is refused with exit code 2") {
  const TemporaryFolder folder;
  const auto refused = [](const std::vector<std::string>& arguments, const char* why) {
    const Ended end = run_program(arguments);
    CAPTURE(arguments, end.err);
    CHECK(end.exit_code == 2);
    CHECK(end.out.empty());
    CHECK_THAT(end.err, Catch::Contains(why));
  };
  refused({"draw"}, "which machine?");
  refused({"draw", "/nonexistent.json"}, "/nonexistent.json");
  refused({"draw", configs + "/parts/peach2.json"}, "is no machine and no run");
  refused({"draw", folder.write("list.json", "[]").string()}, "is no machine and no run");
  refused({"draw", pair_file, "--out", "/nonexistent/x.svg"}, "there is no folder");
  refused({"draw", pair_file, "--out", folder.path().string()}, "is a folder");
  refused({"draw", pair_file, "--set", "/topology/link=[]"}, "link");
  refused({"draw", configs + "/machines/ring_16.json", "--set", "/topology/nodes=10001"}, "20002 devices are too many");
  refused({"draw", pair_file, "--run"}, "--run needs a run; ");
  refused({"draw", pair_file, "--show", "ranks"}, "--show ranks needs a run; ");
  refused({"draw", pair_file, "--show", "port"}, "--show: unknown word \"port\"; did you mean \"ports\"?");
  refused({"draw", pair_file, "--show", ""}, "--show names nothing");
  refused(
      {"draw", configs + "/runs/tca_pio_ping_pong.json", "--run", "--set", "/machine/topology/links/0/wire/lanes=3"},
      "lanes");
  const auto file = folder.write("m.json", R"({"name": "m", "topology": {"kind": "explicit", "devices": {},
    "links": [{"ends": ["a.x", "b.y"], "wire": {"kind": "pcie"}}]}})");
  refused({"draw", file.string()}, "m.json:2:15: /topology/links/0: no device \"a\"");
}

}  // namespace draw_test
