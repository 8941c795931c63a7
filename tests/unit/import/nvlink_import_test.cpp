// SPDX-License-Identifier: Apache-2.0
// NVLink as NCCL's XML and `nvidia-smi topo -m` tell of it.
#include "unit/import/imported.hpp"

namespace nvlink_import_test {

using namespace tsunagi;
using namespace tsunagi::test;
using nlohmann::json;

namespace {

struct To {
  std::string target;  // "12" of a GPU 0000:12:00.0, else all of it
  int count;
  std::string of = "0x030200";
};

std::string gpu(const std::string& bus, const std::string& device, const std::vector<To>& links) {
  std::string out = "<pci busid=\"0000:" + bus + ":00.0\" class=\"0x030200\" vendor=\"0x10de\" device=\"" + device +
                    "\" link_speed=\"8.0 GT/s PCIe\" link_width=\"16\"><gpu>";
  for (const To& l : links)
    out += "<nvlink target=\"" + (l.target.size() == 2 ? "0000:" + l.target + ":00.0" : l.target) + "\" count=\"" +
           std::to_string(l.count) + "\" tclass=\"" + l.of + "\"/>";
  return out + "</gpu></pci>\n";
}

std::string server(const std::string& cards) {
  return "<system version=\"1\"><cpu numaid=\"0\" vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"79\">\n" + cards +
         "</cpu></system>\n";
}

const std::string v100 = "0x1db1", a100 = "0x20b0", h100 = "0x2330";
const std::string nvswitch_class = "0x068000";

/// Ends of NVLink's wires, "gpu0.nvlink0 - gpu1.nvlink0" each, and what they are.
std::vector<std::string> wires(const importing::Imported& in, const std::string& part) {
  std::vector<std::string> out;
  for (const json& l : node_of(in, "links"))
    if (l["wire"]["$use"] == "parts/" + part + ".json")
      out.push_back(l["ends"][0].get<std::string>() + " - " + l["ends"][1].get<std::string>());
  return out;
}

/// How many wires lead from a device to another one.
std::size_t count(const importing::Imported& in, const std::string& a, const std::string& b) {
  std::size_t out = 0;
  for (const json& l : node_of(in, "links"))
    out +=
        l["ends"][0].get<std::string>().rfind(a + ".", 0) == 0 && l["ends"][1].get<std::string>().rfind(b + ".", 0) == 0
            ? 1
            : 0;
  return out;
}

std::string matrix(const std::vector<std::vector<std::string>>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) out += "\tGPU" + std::to_string(i);
  out += "\tCPU Affinity\tNUMA Affinity\n";
  for (std::size_t i = 0; i < words.size(); ++i) {
    out += "GPU" + std::to_string(i);
    for (const std::string& w : words[i]) out += "\t" + w;
    out += "\t0-7\t0\n";
  }
  return out;
}

/// All pairs of `n` GPUs with that word.
std::string all_pairs(std::size_t n, const std::string& word) {
  std::vector<std::vector<std::string>> out(n, std::vector<std::string>(n, word));
  for (std::size_t i = 0; i < n; ++i) out[i][i] = "X";
  return matrix(out);
}

}  // namespace

TEST_CASE("NVLink of NCCL's XML: links between GPUs take their ports in turn, each bundle once") {
  const auto in = imported(
      server(gpu("12", v100, {{"13", 2}, {"14", 1}}) + gpu("13", v100, {{"12", 2}}) + gpu("14", v100, {{"12", 1}})));
  CHECK(wires(in, "nvlink_2") == std::vector<std::string>{"gpu0.nvlink0 - gpu1.nvlink0", "gpu0.nvlink1 - gpu1.nvlink1",
                                                          "gpu0.nvlink2 - gpu2.nvlink0"});
  for (const char* name : {"gpu0", "gpu1", "gpu2"})
    CHECK(node_of(in, "devices")[name]["$use"] == "parts/v100_sxm2.json");
  CHECK(in.warnings.empty());
}

TEST_CASE("NVLink of NCCL's XML: a GPU without links keeps the part of the bus") {
  const auto in = imported(server(gpu("12", v100, {{"13", 1}}) + gpu("13", v100, {{"12", 1}}) + gpu("14", v100, {})));
  CHECK(node_of(in, "devices")["gpu2"]["$use"] == "parts/v100.json");
}

TEST_CASE("NVLink of NCCL's XML: switches that it names are those, and have the ports that are needed") {
  const std::vector<To> links{{"c4", 5, nvswitch_class}, {"c5", 4, nvswitch_class}};
  const auto in = imported(server(gpu("12", h100, links) + gpu("13", h100, links)));
  CHECK(count(in, "gpu0", "nvswitch0") == 5);
  CHECK(count(in, "gpu0", "nvswitch1") == 4);
  CHECK(wires(in, "nvlink_4")[9] == "gpu1.nvlink0 - nvswitch0.port5");
  CHECK(node_of(in, "devices")["nvswitch1"]["$use"] == "parts/nvswitch_3.json");
  CHECK_FALSE(node_of(in, "devices").contains("nvswitch2"));
}

TEST_CASE("NVLink of NCCL's XML: of switches that it does not name there are as many as in servers of eight") {
  for (const char* hidden : {"fffffff:ffff:ff", "fffffff:ff:ff.0"}) {
    const To all{hidden, 18, nvswitch_class};
    const auto in = imported(server(gpu("12", h100, {all}) + gpu("13", h100, {all})));
    for (const auto& [name, links] :
         {std::pair{"nvswitch0", 5}, {"nvswitch1", 5}, {"nvswitch2", 4}, {"nvswitch3", 4}}) {
      CHECK(count(in, "gpu0", name) == static_cast<std::size_t>(links));
      CHECK(count(in, "gpu1", name) == static_cast<std::size_t>(links));
    }
    CHECK_THAT(in.machine, Catch::Contains("does not say which switches"));
  }
}

TEST_CASE("NVLink of NCCL's XML: what one end alone tells is taken, what leads nowhere is not, and both are told") {
  const auto one = imported(server(gpu("12", a100, {{"13", 4}}) + gpu("13", a100, {{"12", 3}})));
  CHECK(wires(one, "nvlink_3").size() == 4);
  CHECK_THAT(warnings(one), Catch::Contains("one end tells of 4 links, the other of 3"));
  const auto nowhere = imported(server(gpu("12", a100, {{"77", 2}})));
  CHECK(wires(nowhere, "nvlink_3").empty());
  CHECK_THAT(warnings(nowhere), Catch::Contains("NVLink to 0000:77:00.0, which is no GPU of the file"));
  const auto itself = imported(server(gpu("12", a100, {{"12", 12}}) + gpu("13", a100, {{"13", 12}})));
  CHECK(wires(itself, "nvlink_3").empty());
  CHECK_THAT(warnings(itself), Catch::Contains("NVLink to 0000:12:00.0, which is this GPU itself: left out"));
}

TEST_CASE("NVLink of NCCL's XML: more links than the part has get ports, more than any has are refused") {
  const auto more = imported(server(gpu("12", v100, {{"13", 8}}) + gpu("13", v100, {{"12", 8}})));
  CHECK(node_of(more, "devices")["gpu0"]["nvlink"]["links"] == 8);
  CHECK_THAT(faults(server(gpu("12", v100, {{"13", 37}}) + gpu("13", v100, {}))),
             Catch::Contains("37 NVLink links at one GPU"));
  CHECK_THAT(faults(server(gpu("12", v100, {{"xx:yy", 1}}))),
             Catch::Contains("\"xx:yy\" of <nvlink> is no PCI address"));
  CHECK_THAT(faults(server(gpu("12", v100, {{"", 1, nvswitch_class}}))), Catch::Contains("is no PCI address"));
}

TEST_CASE("NV# of nvidia-smi topo: GPUs are the first that have as many links") {
  const auto two = imported(all_pairs(2, "NV4"));
  CHECK(node_of(two, "devices")["gpu0"]["$use"] == "parts/p100_sxm2.json");
  CHECK(count(two, "gpu0", "gpu1") == 4);
  const auto four = imported(all_pairs(4, "NV4"));  // 12 links each
  CHECK(node_of(four, "devices")["gpu0"]["$use"] == "parts/a100_sxm4.json");
  CHECK(count(four, "gpu1", "gpu3") == 4);
  CHECK_FALSE(node_of(four, "devices").contains("nvswitch0"));
  const auto mixed = imported(matrix({{"X", "NV1", "NV2"}, {"NV1", "X", "SYS"}, {"NV2", "SYS", "X"}}));
  CHECK(count(mixed, "gpu0", "gpu1") == 1);
  CHECK(count(mixed, "gpu0", "gpu2") == 2);
  CHECK(count(mixed, "gpu1", "gpu2") == 0);
}

TEST_CASE("NV# of nvidia-smi topo: more than any GPU has go by switches") {
  const auto a = imported(all_pairs(8, "NV12"));
  CHECK(node_of(a, "devices")["gpu7"]["$use"] == "parts/a100_sxm4.json");
  for (int s = 0; s < 6; ++s) CHECK(count(a, "gpu3", "nvswitch" + std::to_string(s)) == 2);
  const auto h = imported(all_pairs(8, "NV18"));
  CHECK(node_of(h, "devices")["gpu7"]["$use"] == "parts/h100_sxm5.json");
  CHECK(wires(h, "nvlink_4").size() == 144);
  CHECK_THAT(h.machine, Catch::Contains("joined by switches, as all together are more"));
}

TEST_CASE("NV# of nvidia-smi topo: both halves of the matrix tell of as many links") {
  CHECK_THAT(faults(matrix({{"X", "NV1"}, {"NV2", "X"}})), Catch::Contains("two halves of the matrix differ"));
}

}  // namespace nvlink_import_test
