// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>

#include "config/config.hpp"
#include "import/parts_table.hpp"
#include "unit/import/imported.hpp"

namespace lspci_test {

using namespace tsunagi;
using namespace tsunagi::test;
using nlohmann::json;

namespace {

const std::string full_link =
    "\tLnkCap: Port #0, Speed 8GT/s, Width x16, ASPM L1\n\tLnkSta: Speed 8GT/s (ok), Width x16 (ok)\n";

std::string gpu(const std::string& address, const std::string& more = full_link) {
  return address + " 3D controller [0302]: NVIDIA Corporation GP100GL [10de:15f8] (rev a1)\n" +
         "\tCapabilities: [78] Express (v2) Endpoint, MSI 00\n" + more;
}
std::string k20(const std::string& address, const std::string& more) {
  return address + " 3D controller [0302]: NVIDIA Corporation GK110GL [10de:1028] (rev a1)\n" +
         "\tCapabilities: [78] Express (v2) Endpoint, MSI 00\n" + more;
}
std::string bridge(const std::string& address, const std::string& secondary, const std::string& subordinate,
                   const std::string& type = "", const std::string& more = full_link) {
  return address + " PCI bridge [0604]: PLX [10b5:8747]\n\tBus: primary=00, secondary=" + secondary +
         ", subordinate=" + subordinate + ", sec-latency=0\n" +
         (type.empty() ? "" : "\tCapabilities: [68] Express (v2) " + type + ", MSI 00\n") + more;
}

json wire_to(const importing::Imported& in, const std::string& end) {
  for (const json& l : node_of(in, "links"))
    if (l["ends"][1] == end) return l;
  return {};
}

/// Two GPUs at a switch below a root port, whose ports say their types or not.
std::string switched(bool typed) {
  const auto type = [&](const char* name) { return std::string(typed ? name : ""); };
  return bridge("00:01.0", "01", "04", type("Root Port (Slot+)")) +
         bridge("01:00.0", "02", "04", type("Upstream Port")) +
         bridge("02:00.0", "03", "03", type("Downstream Port (Slot+)")) +
         bridge("02:01.0", "04", "04", type("Downstream Port (Slot-)")) + gpu("03:00.0") + gpu("04:00.0");
}

}  // namespace

TEST_CASE("lspci: ports are a switch or a slot, whether they say what they are or not") {
  for (const bool typed : {true, false}) {
    const auto in = imported(switched(typed));
    const json devices = node_of(in, "devices");
    CHECK(devices.size() == 6);
    CHECK(devices["switch0"]["downstream"].size() == 2);
    CHECK(wire_to(in, "switch0.up")["ends"][0] == "rc.slot0");
    CHECK(wire_to(in, "gpu1.pcie")["ends"][0] == "switch0.down1");
  }
  CHECK(node_of(imported(gpu("03:00.0") + bridge("00:01.0", "03", "03", "Root Port (Slot+)")), "devices").size() == 4);
}

TEST_CASE("lspci: the table's reads of GPUs are those of their parts") {
  for (const importing::PartRow& row : importing::part_rows()) {
    if (row.role != importing::Role::gpu) continue;
    CAPTURE(row.name);
    const auto part = config::load(std::string(TSUNAGI_TEST_CONFIGS) + "/parts/" + std::string(row.part) + ".json");
    const json engines = config::to_json(part)["copy_engines"];
    CHECK(engines["max_read_request"] == (row.reads == 0 ? "4 KiB" : std::to_string(row.reads) + " B"));
  }
}

TEST_CASE("lspci: each generation has its wire") {
  const std::pair<const char*, const char*> wires[] = {{"2.5GT/s", "pcie_gen1_x8"}, {"5GT/s", "pcie_gen2_x8"},
                                                       {"8GT/s", "pcie_gen3_x8"},   {"16GT/s", "pcie_gen4_x16"},
                                                       {"32GT/s", "pcie_gen5_x16"}, {"64GT/s", "pcie_gen6_x16"}};
  for (const auto& [speed, part] : wires) {
    const std::string runs = std::string("Speed ") + speed + ", Width x16\n";
    const auto in = imported(gpu("03:00.0", "\tLnkCap: " + runs + "\tLnkSta: " + runs));
    CHECK(wire_to(in, "gpu0.pcie")["wire"]["$use"] == std::string("parts/") + part + ".json");
  }
}

TEST_CASE("lspci: links run as LnkSta says, what is below LnkCap is told at its line") {
  const auto in =
      imported(bridge("40:01.0", "41", "41", "Root Port (Slot+)",
                      "\tLnkCap:\tPort #1, Speed 8GT/s, Width x16\n\tLnkSta:\tSpeed 8GT/s, Width x8 (downgraded)\n") +
               "41:00.0 Infiniband controller: Mellanox Technologies MT28908 Family [ConnectX-6 Dx]\n"
               "\tLnkCap:\tPort #0, Speed 16GT/s, Width x16, ASPM not supported\n"
               "\t\tClockPM-\n\tLnkSta:\tSpeed 8GT/s (downgraded), Width x8 (downgraded)\n"
               "\tLnkCap2: Supported Link Speeds: 2.5-64GT/s\n\tLnkSta2: Current De-emphasis Level\n");
  CHECK_THAT(warnings(in),
             Catch::Contains("file:9:1: link of 41:00.0 runs at 8 GT/s x8, its capability is 16 GT/s x16; that "
                             "of the port above it, 40:01.0, is 8 GT/s x16") &&
                 Catch::Contains("no part of this ConnectX-6 Dx: the nearest, connectx_6"));
  CHECK(wire_to(in, "hca.pcie")["wire"]["generation"] == 3);
  CHECK(wire_to(in, "hca.pcie")["wire"]["lanes"] == 8);
  CHECK_THAT(in.machine, Catch::Contains("link of 41:00.0 runs at 8 GT/s x8"));
  CHECK_THAT(warnings(imported(gpu("03:00.0", full_link))), !Catch::Contains("runs at"));
  const std::string no_width = "\tLnkCap: Speed 8GT/s, Width x16\n\tLnkSta: Speed 8GT/s, Width x0\n";
  CHECK_THAT(warnings(imported(gpu("03:00.0", no_width))), !Catch::Contains("runs at"));
  const auto idle = imported(gpu("03:00.0", "\tLnkCap: Speed 16GT/s, Width x16\n\tLnkSta: Speed 2.5GT/s, Width x16\n"));
  CHECK_THAT(warnings(idle), Catch::Contains("2.5 GT/s x16, its capability is 16 GT/s x16; GPUs lower the speed when"));
  const auto unknown =
      imported(gpu("03:00.0", "\tLnkCap: Speed 128GT/s, Width x12\n\tLnkSta: Speed 128GT/s, Width x12\n"));
  CHECK_THAT(warnings(unknown),
             Catch::Contains("128 GT/s are faster than wires of ours: generation 6") && Catch::Contains("x12 is none"));
  CHECK(wire_to(imported(gpu("03:00.0", "\tLnkCap: Speed unknown, Width x0\n\tLnkSta: Speed unknown, Width x0\n")),
                "gpu0.pcie")["wire"]["lanes"] == 16);
}

TEST_CASE("lspci: retimers and flit mode are what one end of a link sees in LnkSta2, not what it could") {
  const auto link2 = [](const char* can, const char* is) {
    return std::string("\tLnkCap: Speed 32GT/s, Width x16\n\tLnkSta: Speed 32GT/s, Width x16\n") +
           "\tLnkCap2: Supported Link Speeds: 2.5-32GT/s, Crosslink- " + can + " DRS-\n" +
           "\tLnkSta2: Current De-emphasis Level: -6dB, EqualizationComplete+\n\t\t EqualizationPhase2+ " + is +
           " CrosslinkRes: unsupported, FltMode-\n";
  };
  const auto wire = [&](const std::string& port, const std::string& card) {
    return wire_to(imported(bridge("00:01.0", "03", "03", "Root Port", port) + gpu("03:00.0", card)),
                   "gpu0.pcie")["wire"];
  };
  const std::string none = link2("Retimer+ 2Retimers+", "Retimer- 2Retimers-");
  const std::string one = link2("Retimer+ 2Retimers+", "Retimer+ 2Retimers-");
  CHECK(wire(none, none).count("retimers") == 0);
  CHECK(wire(none, one)["retimers"] == 1);
  CHECK(wire(one, none)["retimers"] == 1);
  CHECK(wire(one, link2("Retimer+ 2Retimers+", "Retimer+ 2Retimers+"))["retimers"] == 2);
  CHECK(wire(none, none).count("flit_mode") == 0);
  std::string flits = none;
  flits.replace(flits.find("FltMode-"), 8, "FltMode+");
  CHECK(wire(none, flits)["flit_mode"] == true);
  CHECK(wire(flits, none)["flit_mode"] == true);
}

TEST_CASE("lspci: MaxPayload is that of DevCtl, the least below a slot for all of it, and MaxReadReq the card's") {
  const auto sized = [](const std::string& payload, const std::string& read) {
    return full_link +
           "\t\tDevCap: MaxPayload 4096 bytes, PhantFunc 0\n\t\tDevCtl: CorrErr-\n\t\t\tRlxdOrd+ ExtTag+ PhantFunc-\n" +
           "\t\t\tMaxPayload " + payload + " bytes, MaxReadReq " + read + " bytes\n";
  };
  const auto in =
      imported(bridge("00:01.0", "01", "04", "Root Port") + bridge("01:00.0", "02", "04", "Upstream Port") +
               bridge("02:00.0", "03", "03", "Downstream Port") + bridge("02:01.0", "04", "04", "Downstream Port") +
               k20("03:00.0", sized("128", "2048")) + k20("04:00.0", sized("256", "512")));
  const json devices = node_of(in, "devices");
  CHECK(devices["gpu0"]["copy_engines"]["max_read_request"] == "2048 B");
  CHECK(devices["gpu1"]["copy_engines"]["max_read_request"] == "512 B");
  // What the register allows is not what an engine asks for.
  CHECK(node_of(imported(gpu("03:00.0", sized("128", "512"))), "devices")["gpu0"].count("copy_engines") == 0);
  for (const char* end : {"gpu0.pcie", "gpu1.pcie", "switch0.up"})
    CHECK(wire_to(in, end)["wire"]["max_payload_size"] == "128 B");
  CHECK_THAT(warnings(in), Catch::Contains("MaxPayload below the slot of 01:00.0 is between 128 and 256 bytes"));
  CHECK_THAT(in.machine, Catch::Contains(", RlxdOrd+, ExtTag+"));
  for (const char* wrong : {"64", "300", "8192", "-256", "x"})
    CHECK_THAT(faults(gpu("03:00.0", sized(wrong, "512"))),
               Catch::Contains("file:8:1: MaxPayload \"" + std::string(wrong)));
}

TEST_CASE("lspci: without extended tags a card has 32 reads under way, however many its part has") {
  const auto tags = [](const char* control, const char* more = "") {
    return full_link + "\t\tDevCap: MaxPayload 256 bytes, PhantFunc 0\n\t\t\tExtTag+ AttnBtn-\n" +
           "\t\tDevCtl: CorrErr-\n\t\t\tRlxdOrd+ " + control + " PhantFunc-\n" + more;
  };
  const auto engines = [&](const std::string& card) {
    return node_of(imported(card), "devices")["gpu0"]["copy_engines"];
  };
  const json few = engines(gpu("03:00.0", tags("ExtTag-")));
  CHECK(few["tag_bits"] == 5);
  CHECK(few["tags"] == 15);  // two engines, with a tag for flushes each
  CHECK_THAT(warnings(imported(gpu("03:00.0", tags("ExtTag-")))),
             Catch::Contains("03:00.0 has no extended tags (ExtTag-): 32 reads under way at most"));
  CHECK(engines(gpu("03:00.0", tags("ExtTag+"))).is_null());
  CHECK(engines(k20("03:00.0", tags("ExtTag-"))).is_null());  // it has fewer of its own
  // Ten bits that are enabled count; that they could be, or are for virtual functions, does not.
  CHECK(engines(gpu("03:00.0", tags("ExtTag-", "\t\tDevCtl2: LTR-\n\t\t\t 10BitTagReq+ OBFF Disabled\n"))).is_null());
  for (const char* other : {"\t\tDevCap2: LTR+\n\t\t\t 10BitTagComp+ 10BitTagReq+ OBFF Not Supported\n",
                            "\t\tIOVCap:\tMigration- 10BitTagReq+ IntMsgNum 0\n"})
    CHECK(engines(gpu("03:00.0", tags("ExtTag-", other)))["tags"] == 15);
  const json hca = node_of(imported("03:00.0 Infiniband controller [0207]: Mellanox [15b3:101b]\n"
                                    "\tCapabilities: [60] Express (v2) Endpoint, MSI 00\n" +
                                    tags("ExtTag-")),
                           "devices")["hca"];
  CHECK(hca["read_tags"] == 32);
  CHECK(hca["tag_bits"] == 5);
}

TEST_CASE("lspci: a card is at the socket of its NUMA node, functions behind one port are one card") {
  const auto in =
      imported(gpu("81:00.0", "\tNUMA node: 1\n" + full_link) + gpu("03:00.0", "\tNUMA node: 0\n" + full_link) +
               bridge("90:01.0", "91", "91", "Root Port") + "91:00.0 0200: 15b3:1003\n" + full_link +
               "91:00.1 0200: 15b3:1003\n" + full_link + "91:01.0 0200: 15b3:1004\n" + full_link +
               "92:00.0 VGA compatible controller [0300]: ASPEED [1a03:2000]\n");
  const json devices = node_of(in, "devices");
  CHECK(devices["rc1"]["slots"].size() == 1);
  CHECK(devices["rc"]["slots"].size() == 2);
  CHECK(wire_to(in, "gpu1.pcie")["ends"][0] == "rc1.slot0");
  CHECK(devices["hca"]["$use"] == "parts/connectx_3.json");
  CHECK(devices["hca"]["ports"] == 2);
  CHECK(devices.count("hca1") == 0);
}

TEST_CASE("lspci: what it cannot know is told") {
  CHECK_THAT(warnings(imported(
                 "03:00.0 3D controller: NVIDIA Corporation GK110GL [Tesla K20m]\n\tCapabilities: <access denied>\n")),
             Catch::Contains("run lspci as root; links are assumed"));
  CHECK(
      node_of(
          imported("03:00.0 3D controller: NVIDIA Corporation GK110GL [Tesla K20m]\n\tCapabilities: <access denied>\n"),
          "devices")["gpu0"]["$use"] == "parts/k20.json");
  const std::string acs = "\tACSCtl: SrcValid+ TransBlk- ReqRedir+ CmpltRedir+\n";
  const std::string below =
      bridge("00:01.0", "01", "04", "Root Port", acs) + bridge("01:00.0", "02", "04", "Upstream Port");
  // One port of two that redirects: the switch does, and one warning says so.
  const std::string free = below + bridge("02:00.0", "03", "03", "Downstream Port") + gpu("03:00.0");
  const auto redirected = imported(below + bridge("02:00.0", "03", "03", "Downstream Port", acs) + gpu("03:00.0") +
                                   bridge("02:01.0", "04", "04", "Downstream Port") + gpu("04:00.0"));
  CHECK_THAT(warnings(redirected), Catch::Contains("ACS of 02:00.0 (ReqRedir+)"));
  CHECK(node_of(redirected, "devices")["switch0"]["acs_redirect"] == true);
  CHECK_THAT(warnings(imported(free)), !Catch::Contains("ACS"));
  CHECK(node_of(imported(free), "devices")["switch0"].count("acs_redirect") == 0);
  CHECK_THAT(warnings(imported(gpu("03:00.0") + "04:00.0 Ethernet controller [0200]: old [8086:1000]\n")),
             Catch::Contains("04:00.0 is on no PCI Express link: left out"));
}

TEST_CASE("lspci: all that is wrong is told at once") {
  CHECK_THAT(faults(gpu("03:00.0") + "zz:00.0 3D controller\n" + gpu("03:00.0") + bridge("00:01.0", "05", "06") +
                    bridge("00:02.0", "05", "06")),
             Catch::Contains("file:5:1: \"zz:00.0\" is no PCI address"));
  CHECK_THAT(faults(gpu("03:00.0") + gpu("03:00.0") + bridge("00:01.0", "05", "06") + bridge("00:02.0", "05", "06")),
             Catch::Contains("file:5:1: a second device at 03:00.0") && Catch::Contains("a second bridge to bus 05"));
  CHECK_THAT(faults(gpu("03:00.0") + bridge("03:01.0", "03", "03")), Catch::Contains("they must be above its own"));
  CHECK_THAT(faults(gpu("03:00.0") + bridge("03:01.0", "02", "05")), Catch::Contains("they must be above its own"));
  CHECK_THAT(faults(gpu("03:00.0") + bridge("03:01.0", "06", "05")), Catch::Contains("they must be above its own"));
  CHECK_THAT(faults(gpu("03:00.0") + bridge("03:01.0", "1ff", "05")), Catch::Contains("secondary bus \"1ff\""));
  CHECK_THAT(faults("\tLnkSta: x\n", "lspci"), Catch::Contains("file:1:1: a line of a device before any device"));
  CHECK_THAT(faults(gpu("03:00.0", "\tNUMA node: x\n")), Catch::Contains("NUMA node \"x\""));
  CHECK_THAT(faults("00:00.0 Host bridge: Intel\n"), Catch::Contains("has no GPU, network card or NVMe drive"));
  CHECK_THAT(faults("# nothing\n", "lspci"), Catch::Contains("has no device"));
}

TEST_CASE("lspci: hostile files are refused soon") {
  const auto begin = std::chrono::steady_clock::now();
  std::string chain, many, nodes;
  const auto hex = [](int n) { return fmt::format("{:02x}", n); };
  for (int bus = 0; bus < 250; ++bus) chain += bridge(hex(bus) + ":00.0", hex(bus + 1), "ff");
  CHECK_THAT(faults(chain + gpu("fa:00.0")), Catch::Contains("fa:00.0 is below 250 bridges"));
  for (int i = 0; i < 70'000; ++i)
    many += fmt::format("{:x}:{:02x}:{:02x}.0 0604: 1:1\n", i / 8192, i / 32 % 256, i % 32);
  CHECK_THAT(faults(many), Catch::Contains("more than 65536 functions"));
  for (int i = 0; i < 40; ++i) nodes += gpu(hex(i) + ":00.0", fmt::format("\tNUMA node: {}\n", i));
  CHECK_THAT(faults(nodes), Catch::Contains("has more than 32 NUMA nodes"));
  CHECK_THAT(faults(gpu("03:00.0") + times(100'000, "\tNUMA node: 99999999999999999999\n")), Catch::Contains("more"));
  const auto in = imported("03:00.0 0302: 10de:15f8 */ \xff\x1b[31m \"}\n" + full_link);
  CHECK_THAT(in.machine, Catch::Contains(R"(10de:15f8 * / \xff\x1b[31m "})"));
  CHECK(node_of(in, "devices")["gpu0"]["$use"] == "parts/p100.json");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}

}  // namespace lspci_test
