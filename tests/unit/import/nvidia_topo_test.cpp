// SPDX-License-Identifier: Apache-2.0
#include "unit/import/imported.hpp"

namespace nvidia_topo_test {

using namespace tsunagi;
using namespace tsunagi::test;
using nlohmann::json;

namespace {

const std::string head = "\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\n";

/// Two GPUs and a card, with the three ways between them, and the GPUs' NUMA nodes.
std::string topo(const std::string& gpus, const std::string& first, const std::string& second,
                 const std::string& numa0 = "\t0-7\t0", const std::string& numa1 = "\t0-7\t0") {
  return head + "GPU0\t X \t" + gpus + "\t" + first + numa0 + "\nGPU1\t" + gpus + "\t X \t" + second + numa1 +
         "\nNIC0\t" + first + "\t" + second + "\t X \t\t\n\nNIC Legend:\n\n  NIC0: mlx5_0\n";
}

/// What is above a device.
std::string above(const importing::Imported& in, const std::string& end) {
  for (const json& l : node_of(in, "links"))
    if (l["ends"][1] == end) return l["ends"][0];
  return "";
}

}  // namespace

TEST_CASE("nvidia-smi topo: PIX is one switch, PXB several, PHB slots of a socket, SYS two sockets") {
  const auto pix = imported(topo("PIX", "PIX", "PIX"));
  CHECK(above(pix, "gpu0.pcie") == "switch0.down0");
  CHECK(above(pix, "hca.pcie") == "switch0.down2");
  CHECK(above(pix, "switch0.up") == "rc.slot0");
  const auto pxb = imported(topo("PIX", "PXB", "PXB"));
  CHECK(above(pxb, "switch0.up") == "rc.slot0");
  CHECK(above(pxb, "gpu1.pcie") == "switch1.down1");
  CHECK(above(pxb, "switch1.up") == "switch0.down0");
  CHECK(above(pxb, "hca.pcie") == "switch2.down0");
  const auto phb = imported(topo("PHB", "NODE", "NODE"));
  CHECK(above(phb, "gpu1.pcie") == "rc.slot1");
  CHECK(above(phb, "hca.pcie") == "rc.slot2");
  const auto sys = imported(topo("SYS", "SYS", "PHB", "\t0-7\t0", "\t8-15\t1"));
  CHECK(above(sys, "gpu1.pcie") == "rc1.slot0");
  CHECK(above(sys, "hca.pcie") == "rc1.slot1");
}

TEST_CASE("nvidia-smi topo: NUMA nodes join what nothing else does") {
  const auto in = imported(topo("NV4", "SYS", "SYS"));
  CHECK(above(in, "gpu0.pcie") == "rc.slot0");
  CHECK(above(in, "gpu1.pcie") == "rc.slot1");
  CHECK(above(in, "hca.pcie") == "rc1.slot0");
}

TEST_CASE("nvidia-smi topo: without NUMA nodes, sockets are who is not across the system") {
  const auto sys = imported(topo("SYS", "SYS", "PHB", "\t0-7\tN/A", ""));
  CHECK(above(sys, "gpu0.pcie") == "rc.slot0");
  CHECK(above(sys, "gpu1.pcie") == "rc1.slot0");
  CHECK(above(sys, "hca.pcie") == "rc1.slot1");
}

TEST_CASE("nvidia-smi topo: NVLink hides the way, unless a third device tells") {
  CHECK(above(imported(topo("NV12", "PIX", "PIX")), "gpu1.pcie") == "switch0.down1");
  CHECK(above(imported(topo("NV12", "PHB", "NODE", "", "")), "gpu1.pcie") == "rc.slot1");
  const std::string two = "\tGPU0\tGPU1\tCPU Affinity\nGPU0\tX\tNV2\t0-7\nGPU1\tNV2\tX\t0-7\n";
  CHECK(above(imported(two), "gpu1.pcie") == "rc.slot1");
  CHECK_THAT(imported(two).machine, Catch::Contains("Format: nvidia-smi topo -m, which is coarse."));
}

TEST_CASE("nvidia-smi topo: escapes of a terminal, names of cards as columns, blanks for tabs") {
  CHECK(above(imported(
                  "\x1b[4m GPU0 mlx4_0 ens3 CPU Affinity\x1b[0m\nGPU0 X PIX PIX\nmlx4_0 PIX X PIX\nens3 PIX PIX X\n"),
              "hca.pcie") == "switch0.down1");
}

TEST_CASE("nvidia-smi topo: what is wrong is told at its row") {
  CHECK_THAT(faults(topo("PIX", "PIX", "NEAR")),
             Catch::Contains("file:3:1: row GPU1, column NIC0: \"NEAR\" is none of X, PIX") &&
                 Catch::Contains("file:4:1: row NIC0, column GPU1"));
  CHECK_THAT(faults(topo("NV0", "PIX", "PIX")), Catch::Contains("\"NV0\" is none"));
  CHECK_THAT(faults(head + "GPU0 X PIX PIX\nGPU1 PHB X PIX\nNIC0 PIX PIX X\n"),
             Catch::Contains("file:3:1: GPU0 and GPU1: the two halves"));
  CHECK_THAT(faults(head + "GPU0 X X PIX\nGPU1 X X PIX\nNIC0 PIX PIX X\n"),
             Catch::Contains("X is of one device with itself"));
  CHECK_THAT(faults(topo("PIX", "PIX", "PIX", "\t0\t0", "\t1\t1")), Catch::Contains("but of different NUMA nodes"));
  CHECK_THAT(faults(head + "GPU0 X PIX PIX\nGPU0 X PIX PIX\n"),
             Catch::Contains("a second row GPU0") && Catch::Contains("has no row NIC0"));
  CHECK_THAT(faults("GPU0 GPU0 CPU Affinity\nGPU0 X PIX\n"), Catch::Contains("has one column twice"));
  CHECK_THAT(faults("GPU0" + times(1000, " GPU0")), Catch::Contains("has one column twice, or more than 128"));
  CHECK_THAT(faults("GPU0 GPU1 CPU\nGPU0 PIX PIX\nGPU1 PIX X\n"),
             Catch::Contains("file:2:1: GPU0 and itself are not X"));
  CHECK_THAT(faults("hello", "nvidia_topo"), Catch::Contains("has no line of columns GPU0"));
}

}  // namespace nvidia_topo_test
