// SPDX-License-Identifier: Apache-2.0
// What a user of TCA machines gets wrong: named before anything runs, exit 2.
#include "support/catch.hpp"
#include "support/program.hpp"

namespace tca_bad_input_test {

using namespace tsunagi::test;

namespace {

void expect_refused(const std::string& run, const std::vector<std::string>& sets, const std::string& says) {
  std::vector<std::string> arguments = {"run", std::string(TSUNAGI_TEST_CONFIGS) + "/runs/" + run};
  for (const std::string& s : sets) {
    arguments.emplace_back("--set");
    arguments.push_back(s);
  }
  const Ended end = run_program(arguments);
  CAPTURE(run, sets, end.err);
  CHECK(end.exit_code == 2);
  CHECK(end.out.empty());
  CHECK_THAT(end.err, Catch::Contains(says));
}

}  // namespace

TEST_CASE("two RC ports cabled together") {
  expect_refused("tca_pio_ping_pong.json", {R"(/machine/topology/links/0/ends=["node0.peach2.w", "node1.peach2.w"])"},
                 "both ends are root complex ports: node0.peach2.w and node1.peach2.w; a PCIe link needs one of each");
}

TEST_CASE("a node count that two rings cannot serve") {
  expect_refused("tca_pairs.json", {"/machine/topology/nodes=9"},
                 "two rings joined node by node need an even number of nodes, not 9");
  expect_refused("tca_pairs.json", {"/machine/topology/nodes=18"}, "nodes");
}

TEST_CASE("an address outside the window") {
  expect_refused("tca_pairs.json", {"/scenario/size=\"16 GiB\""}, "but the window holds");
  expect_refused("tca_local_single.json", {"/scenario/sizes=[\"40 GiB\"]"}, "but the window holds");
}

TEST_CASE("a chain past 1,024 descriptors in the chip's memory, more than a channel's registers") {
  expect_refused("tca_local_chain.json", {"/scenario/methods=[\"chip_chain\"]", "/scenario/counts=[1025]"},
                 "a chain of 1025 descriptors does not fit the chip's memory, which holds 1024");
  expect_refused("tca_local_chain.json", {"/scenario/methods=[\"register\"]", "/scenario/counts=[17]"},
                 "17 descriptors do not fit a channel's registers, which hold 16");
}

TEST_CASE("a stride that overlaps, and one that the engine cannot count") {
  expect_refused("tca_local_chain.json", {"/scenario/block=\"64 B\"", "/scenario/every=\"32 B\""},
                 "blocks overlap: \"every\" must not be below \"block\"");
  expect_refused("tca_local_chain.json", {"/scenario/block=\"6 B\"", "/scenario/every=\"8 B\""}, "4 B");
  expect_refused("tca_local_chain.json", {"/scenario/every=\"32 B\""}, "\"every\" needs a \"block\"");
}

TEST_CASE("GPU memory across QPI, or of no GPU at all") {
  expect_refused("tca_local_chain.json", {"/scenario/source=\"gpu2\""}, "QPI");
  expect_refused("tca_local_chain.json", {"/scenario/target=\"gpu7\""},
                 "no place \"gpu7\" in node0; places: host, chip, gpu0");
}

TEST_CASE("a method or a rank that there is not") {
  expect_refused("tca_local_chain.json", {"/scenario/methods=[\"pull\"]"},
                 "the library has no method \"pull\"; methods: chain, register, chip_chain");
  expect_refused("tca_local_chain.json", {"/scenario/peer=2"}, "needs 3 ranks, the library has 2");
  expect_refused("pcie_write_stream.json", {"/scenario={\"kind\": \"put\"}"}, "the library has no prepared puts");
}

TEST_CASE("messages between pairs are checked before anything runs, as all others") {
  expect_refused("tca_pairs.json", {R"(/scenario={"kind": "pairs", "method": "staged", "size": "64 KiB"})"},
                 "method \"staged\" sends what is in a GPU's memory; sources: gpu0");
  expect_refused("cuda_peer_ping_pong.json",
                 {R"(/library/gpus=["gpu0", "gpu2"])", R"(/scenario={"kind": "pairs", "method": "uva"})"},
                 "crosses QPI");
}

TEST_CASE("less than a word cannot be polled in GPU memory") {
  expect_refused("tca_gpu_pio_ping_pong.json", {R"(/scenario/sizes=["4 B"])"}, "the last 8 B of a message");
}

TEST_CASE("more than a descriptor can say") {
  for (const char* run : {"tca_local_single.json", "tca_dma_ping_pong.json", "tca_remote_read.json"})
    expect_refused(run, {R"(/scenario/sizes=["5 GiB"])"}, "more than 32 bits hold");
}

TEST_CASE("more GPU memory than the window shows at a time") {
  expect_refused("tca_gpu_dma_ping_pong.json", {R"(/scenario/sizes=["300 MiB"])"}, "256 MiB");
}

TEST_CASE("links of one chip with different packet sizes") {
  expect_refused("tca_ping_pong.json", {R"(/machine/topology/links/0/wire/max_payload_size="128 B")"},
                 "node0.peach2: the link at port n to node0.rc has a max_payload_size of 256 B, that at port e to "
                 "node1.peach2 of 128 B; the chip cuts no packets");
}

TEST_CASE("a memory that the window does not show, or that is too small for the driver") {
  expect_refused("tca_dma_ping_pong.json", {R"(/library/memory="memory1")"},
                 "region host of the window shows addresses from 0 on");
  expect_refused(
      "tca_dma_ping_pong.json",
      {R"(/machine/topology/devices/node0/devices/memory/size="1 MiB")",
       R"(/machine/topology/devices/node0/devices/rc/memory_size="1 MiB")"},
      "node0.memory, as far as the window shows it, has 1 MiB, of which the driver keeps 25496 KiB (polled words "
      "4 KiB, descriptor tables 4 MiB, CUDA driver 256 KiB, staging buffer 16 MiB, receive buffers 514 KiB, unexpected "
      "messages 4112 KiB, matching queues 128 KiB)");
}

}  // namespace tca_bad_input_test
