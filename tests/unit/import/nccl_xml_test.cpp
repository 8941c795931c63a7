// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include "unit/import/imported.hpp"

namespace nccl_xml_test {

using namespace tsunagi;
using namespace tsunagi::test;
using nlohmann::json;

namespace {

std::string system_of(const std::string& text) { return "<system version=\"1\">\n" + text + "\n</system>\n"; }
std::string cpu_of(const std::string& text, const std::string& numa = "0") {
  return "<cpu numaid=\"" + numa + "\" vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"79\">\n" + text + "\n</cpu>";
}
std::string gpu(const std::string& bus, const std::string& more = R"(link_speed="8.0 GT/s PCIe" link_width="16")",
                const std::string& dev = "") {
  return "<pci busid=\"0000:" + bus + ":00.0\" class=\"0x030200\" vendor=\"0x10de\" device=\"0x15f8\" " + more +
         "><gpu" + (dev.empty() ? "" : " dev=\"" + dev + "\"") + "/></pci>\n";
}
std::string one(const std::string& text) { return system_of(cpu_of(text)); }

json ends_of(const json& links, const std::string& end) {
  for (const json& l : links)
    if (l["ends"][1] == end) return l;
  return {};
}

}  // namespace

TEST_CASE("NCCL XML: a GPU in a slot has its part, its window and its link") {
  const auto in = imported(one(gpu("12", R"(link_speed="16.0 GT/s PCIe" link_width="8")")));
  const json devices = node_of(in, "devices"), links = node_of(in, "links");
  CHECK(devices["gpu0"]["$use"] == "parts/p100.json");
  CHECK(devices["gpu0"]["bar_base"] == devices["rc"]["slots"][0]["window_base"]);
  CHECK(devices["rc"]["slots"][0]["window_size"] == "16400 MiB");
  CHECK(devices["rc"]["$use"] == "parts/broadwell_ep_root_complex.json");
  const json wire = ends_of(links, "gpu0.pcie")["wire"];
  CHECK(wire["generation"] == 4);
  CHECK(wire["lanes"] == 8);
  CHECK(ends_of(links, "gpu0.pcie")["ends"][0] == "rc.slot0");
  CHECK(in.warnings.empty());
}

TEST_CASE("NCCL XML: each spelling of a speed is its generation, none is assumed and said") {
  const std::vector<std::pair<std::string, int>> speeds{
      {"2.5 GT/s", 1},      {"5 GT/s", 2}, {"5.0 GT/s PCIe", 2}, {"8 GT/s", 3}, {"16.0 GT/s PCIe", 4}, {"32 GT/s", 5},
      {"Unknown speed", 3}, {"", 3},       {"64.0 GT/s PCIe", 6}};
  for (const auto& [speed, generation] : speeds) {
    CAPTURE(speed);
    const auto in = imported(one(gpu("12", "link_speed=\"" + speed + "\" link_width=\"16\"")));
    CHECK(ends_of(node_of(in, "links"), "gpu0.pcie")["wire"]["generation"] == generation);
    CHECK((in.machine.find("assumed: generation 3") != std::string::npos) == (speed.empty() || speed[0] == 'U'));
  }
  CHECK_THAT(warnings(imported(one(gpu("12", "link_speed=\"128.0 GT/s PCIe\"")))),
             Catch::Contains("generation 6 stands for it"));
  for (const char* wrong : {"fast", "-8 GT/s", "8", "nan GT/s", "inf GT/s", "1e9 GT/s", "1 GT/s", "8 MT/s"})
    CHECK_THAT(faults(one(gpu("12", std::string("link_speed=\"") + wrong + "\""))),
               Catch::Contains("file:3:1: link_speed"));
}

TEST_CASE("NCCL XML: a width that wires have not is the next one below") {
  const auto in = imported(one(gpu("12", "link_width=\"12\"")));
  CHECK(ends_of(node_of(in, "links"), "gpu0.pcie")["wire"]["lanes"] == 8);
  CHECK_THAT(warnings(in), Catch::Contains("link_width 12 is none of our wires': 8 stands for it"));
  CHECK(ends_of(node_of(imported(one(gpu("12", "link_width=\"0\""))), "links"), "gpu0.pcie")["wire"]["lanes"] == 16);
  for (const char* wrong : {"-1", "33", "x16", "99999999999999999999"})
    CHECK_THAT(faults(one(gpu("12", std::string("link_width=\"") + wrong + "\""))),
               Catch::Contains("link_width \"" + std::string(wrong) + "\" of <pci> is no number from 0 to 32"));
}

TEST_CASE("NCCL XML: a bridge is a switch whose window holds those below, also of switches below each other") {
  const auto bridge = [](const std::string& bus, const std::string& text) {
    return "<pci busid=\"0000:" + bus + ":00.0\" class=\"0x060400\" link_speed=\"8 GT/s\" link_width=\"16\">" + text +
           "</pci>";
  };
  const auto in = imported(one(bridge("10", gpu("12") + bridge("20", gpu("22") + gpu("24"))) + gpu("30")));
  const json devices = node_of(in, "devices");
  CHECK(devices["rc"]["slots"].size() == 2);
  CHECK(devices["rc"]["slots"][0] ==
        json({{"name", "slot0"}, {"window_base", "256 GiB"}, {"window_size", "51216 MiB"}}));
  CHECK(devices["switch0"]["downstream"].size() == 2);
  CHECK(devices["switch0"]["downstream"][1] ==
        json({{"name", "down1"}, {"window_base", "273 GiB"}, {"window_size", "33808 MiB"}}));
  CHECK(devices["switch1"]["downstream"][1]["window_base"] == "290 GiB");
  CHECK(devices["gpu3"]["bar_base"] == "307 GiB");
  CHECK(ends_of(node_of(in, "links"), "switch1.up")["ends"][0] == "switch0.down1");
  CHECK_THAT(warnings(in), Catch::Contains("no part of this PCIe switch"));
}

TEST_CASE("NCCL XML: fifteen switches below each other are taken, sixteen not") {
  const auto nested = [](int n) {
    std::string text = gpu("ff");
    for (int i = 0; i < n; ++i)
      text = "<pci busid=\"" + std::to_string(i) + ":1:0.0\" class=\"0x060400\">" + text + "</pci>";
    return one(text);
  };
  CHECK(faults(nested(15)).empty());
  CHECK_THAT(faults(nested(16)), Catch::Contains("more than 16 <pci> in each other"));
}

TEST_CASE("NCCL XML: each socket knows the memories and cards of all others, every two are joined once") {
  const auto in = imported(system_of(cpu_of(gpu("12"), "0") + cpu_of("", "1") + cpu_of(gpu("32"), "2")));
  const json devices = node_of(in, "devices"), links = node_of(in, "links");
  CHECK(devices["memory2"]["base"] == "128 GiB");
  CHECK(devices["rc1"]["remotes"].size() == 4);
  CHECK(devices["rc"]["remotes"].size() == 3);
  CHECK(devices["rc"]["remotes"][2] ==
        json({{"name", "socket2"}, {"window_base", "273 GiB"}, {"window_size", "16400 MiB"}}));
  CHECK(devices["rc1"].count("slots") == 0);
  CHECK(ends_of(links, "rc1.socket0")["ends"][0] == "rc.socket1");
  CHECK(ends_of(links, "rc2.socket1")["ends"][0] == "rc1.socket2");
}

TEST_CASE("NCCL XML: GPUs have their own numbers if those are all there, else that of the file's order") {
  const auto first = [](const std::string& a, const std::string& b) {
    const json devices = node_of(imported(one(gpu("12", "", a) + gpu("14", "", b))), "devices");
    return devices["gpu0"]["bar_base"];
  };
  CHECK(first("1", "0") == "273 GiB");
  CHECK(first("0", "1") == "256 GiB");
  CHECK(first("7", "3") == "256 GiB");
  CHECK(first("1", "") == "256 GiB");
  CHECK(first("0", "0") == "256 GiB");
}

TEST_CASE("NCCL XML: functions of a network card share its link, other cards are what they are") {
  const auto nic = [](const std::string& address, const std::string& more) {
    return "<pci busid=\"" + address + "\" " + more + "><nic><net name=\"mlx5_0\" speed=\"100000\"/></nic></pci>";
  };
  const auto in = imported(one(nic("0000:16:00.0", R"(class="0x020700" vendor="0x15b3" device="0x1003")") +
                               nic("0000:16:00.1", R"(class="0x020700" vendor="0x15b3" device="0x1003")") +
                               nic("0000:17:00.0", R"(class="0x020000")") +
                               nic("0000:18:00.0", R"(class="0x020000" vendor="0x8086" device="0x1572")")));
  const json devices = node_of(in, "devices");
  CHECK(devices["rc"]["slots"].size() == 3);
  CHECK(devices["hca"]["ports"] == 2);
  CHECK(devices["hca1"]["$use"] == "parts/connectx_3.json");
  CHECK(devices["hca1"].count("ports") == 0);
  CHECK(devices["nic"]["$use"] == "parts/nfp_6000_like.json");
}

TEST_CASE("NCCL XML: a 3D controller is a GPU, though files that owners write name no <gpu> and no vendor") {
  const std::string link = R"(link_speed="32.0 GT/s PCIe" link_width="16")";
  const auto in = imported(one("<pci busid=\"0001:00:00.0\" class=\"0x030200\" " + link + "/>\n" +
                               "<pci busid=\"0101:00:00.0\" class=\"0x020700\" " + link + "/>"));
  const json devices = node_of(in, "devices");
  CHECK(devices["gpu0"]["$use"] == "parts/h100.json");
  CHECK(devices["hca"]["$use"] == "parts/connectx_7.json");
  // Another vendor's 3D controller is none of ours, nor is what is no 3D controller.
  for (const char* other : {R"(class="0x030200" vendor="0x8086")", R"(class="0x030000")"}) {
    const auto without = imported(one(std::string("<pci busid=\"0001:00:00.0\" ") + other + "/>\n" + gpu("12")));
    CHECK_THAT(warnings(without), Catch::Contains("has nothing that a machine has a part for"));
  }
}

TEST_CASE("NCCL XML: what is left out is told") {
  const std::string left = warnings(imported(
      one(gpu("12") + "<pci busid=\"0000:13:00.0\" class=\"0x010802\"/><pci busid=\"0000:14:00.0\" class=\"0x060400\"/>"
                      "<nic><net name=\"eth0\"/></nic><pcie/>")));
  CHECK_THAT(left, Catch::Contains("<pci> of class \"0x060400\" has nothing") &&
                       Catch::Contains("<nic> below <cpu> has no PCI address: left out name eth0") &&
                       Catch::Contains("unknown element \"pcie\"; did you mean \"pci\"?"));
  const auto linked =
      imported(one("<pci busid=\"0000:12:00.0\" class=\"0x030200\"><gpu><nvlink target=\"0000:00:00.0\" "
                   "count=\"12\" tclass=\"0x068001\"/></gpu></pci>"));
  CHECK_THAT(warnings(linked), Catch::Contains("<nvlink> tclass 0x068001 is not modelled"));
  CHECK_THAT(linked.machine, Catch::Contains("12 links of GPUs"));
  CHECK_THAT(warnings(imported(
                 system_of("<cpu vendor=\"AuthenticAMD\" familyid=\"143\" modelid=\"1\">" + gpu("12") + "</cpu>"))),
             Catch::Contains("no part of this processor (AuthenticAMD, family 143, model 1): EPYC Rome stands"));
  const auto rome =
      imported(system_of("<cpu vendor=\"AuthenticAMD\" familyid=\"143\" modelid=\"49\">" + gpu("12") + "</cpu>"));
  CHECK(node_of(rome, "devices")["rc"]["$use"] == "parts/epyc_rome_root_complex.json");
  CHECK_THAT(warnings(rome), !Catch::Contains("no part of this processor"));
}

TEST_CASE("NCCL XML: all that is wrong is told at once, at its place") {
  const std::string all = faults(
      system_of(cpu_of("\xc3\xa4 " + gpu("12") + gpu("12") + gpu("zz") + gpu("13", "link_width=\"-4\"")) + cpu_of("")));
  CHECK_THAT(all, Catch::Contains("file:4:1: a second <pci> of busid 0000:12:00.0") &&
                      Catch::Contains("file:5:1: busid \"0000:zz:00.0\" is no PCI address") &&
                      Catch::Contains("file:6:1: link_width \"-4\"") &&
                      Catch::Contains("file:8:7: a second <cpu> of numaid 0"));
  CHECK_THAT(faults(one("<pci busid=\"0000:12:00.0\" busid=\"0000:13:00.0\"/>")),
             Catch::Contains("attribute busid of <pci> twice"));
  CHECK_THAT(faults(one("<pci busid=\"0:1:0.0\" class=\"0x030200\"><gpu/>" + gpu("12") + "</pci>")),
             Catch::Contains("which is no bridge"));
  CHECK_THAT(faults(system_of("")), Catch::Contains("<system> has no <cpu>"));
  CHECK_THAT(faults(one("")), Catch::Contains("has no GPU and no network card"));
  CHECK_THAT(faults("<system><cpu></system>"), Catch::Contains("file:1:16: XML: "));
  CHECK_THAT(faults("<graphs/>"), Catch::Contains("this is a dump of graphs"));
  CHECK_THAT(faults(one(gpu("12")) + one(gpu("12"))), Catch::Contains("<system> where one <system> is to be"));
  CHECK_THAT(faults("<a/>", "nccl"), Catch::Contains("<a> where one <system>"));
}

TEST_CASE("NCCL XML: names end no comment, whatever is in them") {
  const auto in =
      imported(one("<pci busid=\"0000:12:00.0\" class=\"0x030200\" vendor=\"0x10de\" device=\"0x15f8\" link_speed=\"\">"
                   "<gpu sm=\"*/ &#10;}\xe2\x80\xa8\xff&#x202e;" +
                   std::string(4000, 'x') + "\"/></pci>"));
  CHECK_THAT(in.machine, Catch::Contains(R"(sm * / \n}\u2028\xff\u202exxx)"));
  CHECK(node_of(in, "devices")["gpu0"]["$use"] == "parts/p100.json");
  CHECK(in.machine.size() < 4000);
}

TEST_CASE("NCCL XML: hostile files are refused soon") {
  const auto begin = std::chrono::steady_clock::now();
  CHECK_THAT(faults("<!DOCTYPE x [<!ENTITY a \"" + std::string(1000, 'a') + "\"><!ENTITY b \"&a;&a;&a;&a;\">]>" +
                    system_of("&b;")),
             Catch::Contains("<system> has no <cpu>"));
  std::string nested;
  for (int i = 0; i < 40'000; ++i)
    nested += "<pci busid=\"" + std::to_string(i % 100) + ":" + std::to_string(i % 30) + ":0.0\">";
  CHECK_THAT(faults(one(nested + times(40'000, "</pci>"))), Catch::Contains("more than 16 <pci> in each other"));
  CHECK_THAT(faults(system_of(times(100'000, "<x>") + times(100'000, "</x>"))),
             Catch::Contains("<system> has no <cpu>"));
  CHECK_THAT(faults(system_of(times(33, "<cpu/>"))), Catch::Contains("more than 32 <cpu>"));
  const auto many = [](int n) {
    std::string out;
    for (int i = 0; i < n; ++i) out += "<pci busid=\"" + std::to_string(i) + ":1:0.0\" class=\"0x030200\"><gpu/></pci>";
    return out;
  };
  CHECK_THAT(faults(one(many(1100))), Catch::Contains("more than 1024 cards"));
  CHECK_THAT(faults(one(many(130))), Catch::Contains("more than a root complex has ports"));
  CHECK_THAT(faults(one("<pci busid=\"0:0:0.0\" class=\"0x060400\">" + many(130) + "</pci>")),
             Catch::Contains("more than a machine's switches carry"));
  CHECK_THAT(faults(std::string("<system>\0</system>", 18)), Catch::Contains("file:1:9: a byte of value 0"));
  CHECK_THAT(faults(one(std::string(5'000'000, ' '))), Catch::Contains("has more than 4194304 bytes"));
  CHECK_THAT(faults(std::string(17'000'000, ' ')), Catch::Contains("files of up to 16777216 are imported"));
  std::string wrong;
  for (int i = 0; i < 1000; ++i) wrong += "<pci busid=\"" + std::to_string(i) + "\"/>";
  CHECK_THAT(faults(one(wrong)), Catch::Contains("and 100 more"));
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}

TEST_CASE("import: a file of no format is told which there are") {
  CHECK_THAT(faults("hello"), Catch::Contains("file:1:1: is of no known format; known: nccl (NCCL topology XML"));
  CHECK_THAT(faults(""), Catch::Contains("is of no known format"));
}

}  // namespace nccl_xml_test
