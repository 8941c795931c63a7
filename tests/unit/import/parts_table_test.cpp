// SPDX-License-Identifier: Apache-2.0
// Which part stands for which device, and which processor a file tells of.
#include "import/parts_table.hpp"

#include <fmt/format.h>

#include "config/config.hpp"
#include "unit/import/imported.hpp"
#include "units/parse.hpp"

namespace parts_table_test {

using namespace tsunagi;
using namespace tsunagi::test;
using importing::Card;
using importing::PartRow;
using importing::Role;
using importing::Socket;
using nlohmann::json;

namespace {

Card numbered(Role role, int vendor, int device, int generation = 0) {
  Card c;
  c.role = role;
  c.vendor = vendor;
  c.device = device;
  c.link.generation = generation;
  return c;
}
Card named(const std::string& model) {
  Card c;
  c.role = Role::gpu;
  c.model = model;
  return c;
}
std::string_view part(const Card& c) { return importing::part_of(c).part; }
std::string_view gpu_part(int device, int generation) { return part(numbered(Role::gpu, 0x10de, device, generation)); }

std::string_view processor(const std::string& vendor, int family, int model) {
  Socket s;
  s.vendor = vendor;
  s.family = family;
  s.model = model;
  return importing::part_of(s).name;
}

/// A GPU on a bus of its own below NUMA node `numa`, behind what else the file has.
std::string lspci_with(const std::string& line, int numa = 0) {
  return line + fmt::format(
                    "\n03:00.0 3D controller [0302]: NVIDIA Corporation GP100GL [10de:15f8]\n"
                    "\tNUMA node: {}\n\tCapabilities: [78] Express (v2) Endpoint, MSI 00\n"
                    "\tLnkCap: Speed 8GT/s, Width x16\n\tLnkSta: Speed 8GT/s, Width x16\n",
                    numa);
}
std::string root_complex_of(const std::string& text) { return node_of(imported(text), "devices")["rc"]["$use"]; }

std::string nodes_of(int count, const char* vendor, int family, int model) {
  std::string out = "<system version=\"1\">\n";
  for (int i = 0; i < count; ++i)
    out += fmt::format(
        "<cpu numaid=\"{0}\" vendor=\"{1}\" familyid=\"{2}\" modelid=\"{3}\">"
        "<pci busid=\"0000:{0}1:00.0\" class=\"0x030200\" vendor=\"0x10de\" device=\"0x20b0\" "
        "link_speed=\"16.0 GT/s PCIe\" link_width=\"16\"><gpu dev=\"{0}\"/></pci></cpu>\n",
        i, vendor, family, model);
  return out + "</system>\n";
}

}  // namespace

TEST_CASE("parts of devices: by numbers, else by the generation of their links") {
  CHECK(gpu_part(0x2335, 5) == "h200");
  CHECK(gpu_part(0x2335, 1) == "h200");
  CHECK(gpu_part(0x26b9, 4) == "l40s");
  CHECK(gpu_part(0x7fff, 0) == "p100");
  CHECK(gpu_part(0x7fff, 3) == "p100");
  CHECK(gpu_part(0x7fff, 4) == "a100");
  CHECK(gpu_part(0x7fff, 5) == "h100");
  CHECK(gpu_part(0x7fff, 6) == "h100");
  CHECK(part(numbered(Role::bridge, 0x1000, 0xc030, 4)) == "pex_89104");
  CHECK(part(numbered(Role::bridge, 0x1000, 0xc010, 4)) == "pex_88096");
  CHECK(part(numbered(Role::bridge, 0x11f8, 0x4000, 3)) == "pex_8747");
  CHECK(part(numbered(Role::bridge, 0x11f8, 0x4000, 4)) == "pex_88096");
  CHECK(part(numbered(Role::infiniband, 0x15b3, 0x1018, 3)) == "connectx_5");
  CHECK(part(numbered(Role::infiniband, 0x15b3, 0x7fff, 5)) == "connectx_7");
  CHECK(part(numbered(Role::infiniband, 0x15b3, 0xa2dc, 5)) == "connectx_7");
}

TEST_CASE("parts of devices: an idle GPU's link is slow, what it could be says which it is like") {
  const std::string idle =
      "03:00.0 3D controller [0302]: NVIDIA Corporation New [10de:7fff]\n"
      "\tCapabilities: [78] Express (v2) Endpoint, MSI 00\n"
      "\tLnkCap: Speed 32GT/s, Width x16\n\tLnkSta: Speed 2.5GT/s, Width x16\n";
  const json devices = node_of(imported(idle), "devices");
  CHECK(devices["gpu0"]["$use"] == "parts/h100.json");
}

TEST_CASE("parts of devices: by the words of a name, not by a part of a word") {
  CHECK(part(named("GH100 [H200 SXM 141GB]")) == "h200");
  CHECK(part(named("GA102GL [A40]")) == "a40");
  CHECK(part(named("GA102GL [A10]")) == "a10");
  CHECK(part(named("AD102GL [L40S]")) == "l40s");
  CHECK(part(named("GA100 [A100 SXM4 80GB]")) == "a100_80gb");
  CHECK(part(named("GA104GL [RTX A4000]")) == "p100");
  CHECK(part(named("GA107GL [RTX A1000]")) == "p100");
  CHECK(part(named("GB100 [HGX GB200]")) == "p100");
  CHECK(part(named("AD102 [GeForce RTX 4090 D]")) == "rtx_4090");
  for (const PartRow& row : importing::part_rows())
    if (row.device != PartRow::any && row.role == Role::gpu) {
      CAPTURE(row.name);
      CHECK(importing::part_of(named("GX100 [" + std::string(row.name) + "]")).device == row.device);
    }
}

TEST_CASE("parts of devices: a GPU's window holds what its part answers to") {
  for (const PartRow& row : importing::part_rows()) {
    if (row.role != Role::gpu) continue;
    CAPTURE(row.part);
    const json gpu =
        config::to_json(config::load(std::string(TSUNAGI_TEST_CONFIGS) + "/parts/" + std::string(row.part) + ".json"));
    const auto kib = [&gpu](const char* key) { return parse_bytes(gpu[key].get<std::string>()).count() / 1024; };
    CHECK(row.window_kib >= kib("bar_size"));
    CHECK(row.window_kib <= kib("bar_size") + 16 * 1024);
  }
}

TEST_CASE("parts of processors: those of a vendor without a part have the nearest") {
  CHECK(processor("GenuineIntel", 6, 143) == "Sapphire Rapids");
  CHECK(processor("GenuineIntel", 6, 173) == "Sapphire Rapids");
  CHECK(processor("GenuineIntel", 6, 94) == "Broadwell-EP");
  CHECK(processor("AuthenticAMD", 23, 1) == "EPYC Rome");
  CHECK(processor("AuthenticAMD", 143, 1) == "EPYC Rome");
  CHECK(processor("AuthenticAMD", 25, 1) == "EPYC Milan");
  CHECK(processor("AuthenticAMD", 26, 2) == "EPYC Genoa");
  CHECK(processor("AuthenticAMD", 191, 2) == "EPYC Genoa");
  CHECK(processor("", -1, -1) == "Broadwell-EP");
}

TEST_CASE("lspci: a function of the processor's own says which it is, by its numbers or by its name") {
  const std::pair<const char*, const char*> functions[] = {
      {"00:02.0 PCI bridge [0604]: Intel Corporation Xeon E5 [8086:6f04]", "broadwell_ep"},
      {"16:00.0 System peripheral: Intel Corporation Sky Lake-E Ubox Registers (rev 04)", "skylake_sp"},
      {"16:00.0 PCI bridge [0604]: Intel Corporation Device [8086:347a]", "ice_lake_sp"},
      {"16:00.0 PCI bridge [0604]: Intel Corporation Device [8086:352a]", "sapphire_rapids"},
      {"00:18.0 Host bridge: Advanced Micro Devices, Inc. [AMD] Starship Device 24; Function 0", "epyc_rome"},
      {"00:18.0 Host bridge [0600]: Advanced Micro Devices, Inc. [AMD] Milan Data Fabric [1022:1650]", "epyc_milan"},
      {"00:01.1 PCI bridge [0604]: Advanced Micro Devices, Inc. [AMD] Device [1022:14ab]", "epyc_genoa"},
      {"00:01.1 PCI bridge: Advanced Micro Devices, Inc. [AMD] Turin GPP Bridge", "epyc_genoa"},
      {"00:01.1 PCI bridge: Advanced Micro Devices, Inc. [AMD] Device 14ab (rev 01)", "epyc_genoa"},
      {"16:01.0 PCI bridge: Intel Corporation Device 352a (rev 30)", "sapphire_rapids"},
      {"00:18.0 Host bridge [0600]: Some Vendor Corporation [1234:1650]", "broadwell_ep"}};
  for (const auto& [line, part] : functions) {
    CAPTURE(line);
    CHECK(root_complex_of(lspci_with(line)) == fmt::format("parts/{}_root_complex.json", part));
  }
  // Bridges that Rome and Milan share say less than a function that one of them alone has.
  CHECK(root_complex_of(lspci_with("00:01.1 PCI bridge: AMD Starship/Matisse GPP Bridge [1022:1483]\n"
                                   "00:18.0 Host bridge: AMD Milan Data Fabric [1022:1650]")) ==
        "parts/epyc_milan_root_complex.json");
  CHECK_THAT(imported(lspci_with("00:02.0 Host bridge: Intel Corporation Sky Lake-E Ubox Registers")).machine,
             Catch::Contains("NUMA node 0; of the processor of 00:02.0 Intel Corporation Sky Lake-E"));
  CHECK_THAT(imported(lspci_with("")).machine, Catch::Contains("lspci does not say which processor"));
}

TEST_CASE("lspci: a device that the list of names does not have has its number in place of a name") {
  const auto gpu = [](const std::string& model) {
    return node_of(imported("03:00.0 3D controller: " + model +
                            "\n\tCapabilities: [78] Express (v2) Endpoint, MSI 00\n"
                            "\tLnkCap: Speed 16GT/s, Width x16\n\tLnkSta: Speed 16GT/s, Width x16\n"),
                   "devices")["gpu0"]["$use"]
        .get<std::string>();
  };
  CHECK(gpu("NVIDIA Corporation Device 2335 (rev a1)") == "parts/h200.json");
  CHECK(gpu("NVIDIA Corporation Device 26b9") == "parts/l40s.json");
  CHECK(gpu("NVIDIA Corporation Device 26b91") == "parts/a100.json");
  CHECK(gpu("NVIDIA Corporation GH100 [H200 SXM 141GB] (rev a1)") == "parts/h200.json");
}

TEST_CASE("imported machines: what joins core and memory is that of the processor's die") {
  for (const auto& [line, bus] : {std::pair("00:02.0 Host bridge: Intel Xeon [8086:6f04]", "on_chip_bus"),
                                  std::pair("00:02.0 Host bridge: Intel [8086:347a]", "mesh_bus"),
                                  std::pair("00:18.0 Host bridge: AMD Milan [1022:1650]", "mesh_bus")}) {
    const json links = node_of(imported(lspci_with(line)), "links");
    CHECK(links[0]["wire"]["$use"] == fmt::format("parts/{}.json", bus));
    CHECK(links[1]["wire"]["$use"] == fmt::format("parts/{}.json", bus));
  }
}

TEST_CASE("imported machines: four and eight nodes of EPYC processors are two sockets") {
  for (const int count : {4, 8}) {
    const auto in = imported(nodes_of(count, "AuthenticAMD", 143, 49));
    const json devices = node_of(in, "devices");
    CHECK(devices["rc"]["slots"].size() == std::size_t(count) / 2);
    CHECK(devices["rc1"]["slots"].size() == std::size_t(count) / 2);
    CHECK(!devices.contains("rc2"));
    CHECK_THAT(warnings(in), Catch::Contains(fmt::format("{} NUMA nodes of EPYC processors are taken as two sockets "
                                                         "with {} nodes each (NPS{})",
                                                         count, count / 2, count / 2)));
    CHECK_THAT(in.machine, Catch::Contains(fmt::format("{} NUMA nodes in a socket are taken as one", count / 2)));
  }
  CHECK(node_of(imported(nodes_of(2, "AuthenticAMD", 143, 49)), "devices").contains("rc1"));
  CHECK(node_of(imported(nodes_of(3, "AuthenticAMD", 143, 49)), "devices").contains("rc2"));
  CHECK(node_of(imported(nodes_of(4, "GenuineIntel", 6, 85)), "devices").contains("rc3"));
}

}  // namespace parts_table_test
