// SPDX-License-Identifier: Apache-2.0
// What can be known before time 0: `run` refuses it with both ends named and exit 2, and so does `validate`, with the
// same words, because it builds the machine.
#include <algorithm>
#include <regex>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace refused_test {

using namespace tsunagi::test;

namespace {

const std::string configs = TSUNAGI_TEST_CONFIGS;
const std::string node0 = "/machine/topology/devices/node0/devices/";
const std::string node1 = "/machine/topology/devices/node1/devices/";
const std::string links0 = "/machine/topology/devices/node0/links/";
const std::string links1 = "/machine/topology/devices/node1/links/";

std::vector<std::string> with_sets(std::vector<std::string> arguments, const std::vector<std::string>& sets) {
  for (const std::string& s : sets) arguments.insert(arguments.end(), {"--set", s});
  return arguments;
}

/// The text behind the place and pointer: places differ between a run with overrides and its resolved config.
std::string without_place(const std::string& text) {
  return std::regex_replace(text, std::regex("^(.*: |--set )/[^:]*: "), "");
}

/// `run` refuses it, and `validate` the same run written to a file.
void expect_refused(const std::string& run, const std::vector<std::string>& sets, const std::string& says) {
  const std::string file = configs + "/runs/" + run;
  const Ended end = run_program(with_sets({"run", file}, sets));
  CAPTURE(run, sets, end.err);
  CHECK(end.exit_code == 2);
  CHECK(end.out.empty());
  CHECK_THAT(end.err, Catch::Contains(says));
  const Ended resolved = run_program(with_sets({"run", file, "--print-config"}, sets));
  REQUIRE(resolved.exit_code == 0);  // what a reader alone finds is tested elsewhere
  const TemporaryFolder folder;
  const Ended validated = run_program({"validate", folder.write("resolved.json", resolved.out).string()});
  CHECK(validated.exit_code == 2);
  CHECK(validated.out.empty());
  CHECK(without_place(validated.err) == without_place(end.err));
}

}  // namespace

TEST_CASE("a buffer class that does not hold the largest packet that can come") {
  expect_refused(
      "tca_dma_ping_pong.json",
      {node0 + "peach2/buffers/completion_headers=4", node0 + "peach2/buffers/completion_data=1"},
      "the completion buffer of node0.peach2.n does not hold one packet of 256 B, as node0.rc.slot0 may send");
  expect_refused(
      "cuda_peer_ping_pong.json", {node0 + "gpu0/buffers/completion_data=1"},
      "the completion buffer of node0.gpu0.pcie does not hold one packet of 256 B, as node0.rc.slot1 may send");
  expect_refused("torus_traffic.json", {"/machine/topology/router/buffer_flits=16"},
                 "the VC 0 buffer of router0.d0+ does not hold one packet of 256 B, as router1.d0- may send");
}

TEST_CASE("a buffer that holds all that can come is no error") {
  // Completions of 64 B although the link carries 256 B, and none at all at a chip's cable.
  const Ended end = run_program(
      with_sets({"run", configs + "/runs/tca_dma_ping_pong.json", "--format", "csv"},
                {node0 + "peach2/buffers/completion_headers=1", node0 + "peach2/buffers/completion_data=4",
                 node0 + "rc/completion_size=\"64 B\"", "/scenario/sizes=[\"4 KiB\"]", "/scenario/iterations=1"}));
  CAPTURE(end.err);
  CHECK(end.exit_code == 0);
}

TEST_CASE("packets that are larger than a later link carries") {
  // The chip writes to a GPU whose link has a smaller MPS, a GPU to another one, a card to host memory.
  expect_refused("tca_gpu_dma_ping_pong.json", {links0 + "3/wire/max_payload_size=\"128 B\""},
                 "packets of up to 256 B come by node0.rc.slot0, but the link at node0.rc.slot1, by which they have to "
                 "leave, carries 128 B");
  expect_refused("cuda_peer_ping_pong.json", {links0 + "4/wire/max_payload_size=\"128 B\""},
                 "packets of up to 256 B come by node0.rc.slot1, but the link at node0.rc.slot2, by which they have to "
                 "leave, carries 128 B");
  expect_refused("pcie_write_stream.json",
                 {"/machine/topology/links/1/wire/max_payload_size=\"128 B\"",
                  "/machine/topology/devices/rc/completion_size=\"128 B\""},
                 "packets of up to 256 B come by rc.slot0, but the link at rc.memory, by which they have to leave, "
                 "carries 128 B");
  expect_refused(
      "ring_traffic.json", {R"(/machine/topology/terminal_wire={"kind": "link", "max_payload": "512 B"})"},
      "router0: packets of up to 512 B come by t0 from terminal0, but the wire at d0+ to router1 carries 256 B");
}

TEST_CASE("completions that are larger than the link of the card that reads carries") {
  const std::string small = "/wire/max_payload_size=\"128 B\"";
  expect_refused("tca_gpu_dma_ping_pong.json",
                 {node0 + "rc/peer_read_size=\"256 B\"", links0 + "2" + small, links1 + "2" + small,
                  "/machine/topology/links/0" + small},
                 "completions of 256 B from node0.gpu0 (\"peer_read_size\" of node0.rc) do not fit the link at "
                 "node0.rc.slot0, whose max_payload_size is 128 B");
  expect_refused("pcie_write_stream.json", {"/machine/topology/links/1/wire/max_payload_size=\"64 B\""},
                 "rc: reads of memory come back in pieces of 256 B (\"completion_size\"), but the bus at rc.memory "
                 "carries 64 B at most");
}

TEST_CASE("memory and windows that do not agree, overlap or are no whole pages") {
  expect_refused("tca_dma_ping_pong.json", {node0 + "memory/size=\"32 GiB\""},
                 "node0.memory has 32 GiB from 0 B, but node0.rc passes on 64 GiB from 0 B to it");
  expect_refused("tca_dma_ping_pong.json", {node0 + "gpu0/bar_size=\"128 MiB\""},
                 "node0.gpu0: its window and registers are 144 MiB from 256 GiB, but slot1 of node0.rc shows 272 MiB "
                 "from 256 GiB");
  expect_refused("tca_dma_ping_pong.json", {node0 + "rc/remotes/1/window_base=\"1 TiB\""},
                 "but no address of its memory and slots is among them");
  expect_refused("pcie_write_stream.json", {"/library/base=\"512 GiB\""},
                 "what is written to address 0x8100000000 does not come to memory: it ends at rc");
  expect_refused("tca_dma_ping_pong.json", {node1 + "peach2/nodes=3"},
                 "all chips share one window, but that of node1.peach2 is 512 GiB from 512 GiB for 3 nodes, that of "
                 "node0.peach2 512 GiB from 512 GiB for 2 nodes");
}

TEST_CASE("ranges that overlap or are no whole pages are found by the reader, in parts alone, too") {
  const TemporaryFolder folder;
  const auto validated = [&](const std::string& more) {
    return run_program(
        {"validate",
         folder.write("rc.json", R"({"kind": "root_complex", "memory_size": "64 GiB", )" + more + "}").string()});
  };
  const auto expect = [&](const std::string& more, const std::string& says) {
    const Ended end = validated(more);
    CHECK(end.exit_code == 2);
    CHECK_THAT(end.err, Catch::Contains("rc.json:1:1: ") && Catch::Contains(says));
  };
  expect(R"("slots": [{"name": "a", "window_base": "32 GiB", "window_size": "1 MiB"}])",
         "the addresses of \"memory\", 64 GiB from 0 B, overlap the addresses of \"a\", 1 MiB from 32 GiB");
  expect(R"("slots": [{"name": "a", "window_base": "128 GiB", "window_size": "1 MiB"}],
            "remotes": [{"name": "b", "window_base": "128 GiB", "window_size": "1 GiB"}])",
         "the addresses of \"a\", 1 MiB from 128 GiB, overlap the addresses of \"b\", 1 GiB from 128 GiB");
  expect(R"("slots": [{"name": "a", "window_base": "137438953473 B", "window_size": "4 KiB"}])",
         "the addresses of \"a\", 4 KiB from 137438953473 B, are no whole pages of 4 KiB");
  const std::string text = validated(R"("memory_base": "1 B")").err;
  CHECK_THAT(text, Catch::EndsWith("64 GiB from 1 B, are no whole pages of 4 KiB\n"));
  CHECK_THAT(validated(R"("slots": [{"name": "a", "window_base": "0 B", "window_size": "1 MiB"}])").err,
             Catch::EndsWith("overlap the addresses of \"a\", 1 MiB from 0 B\n"));
  CHECK(validated(R"("slots": [{"name": "a", "window_base": "64 GiB", "window_size": "4 KiB"}])").exit_code == 0);
  const auto memory = folder.write("memory.json", R"({"kind": "memory", "base": "100 B"})");
  CHECK_THAT(run_program({"validate", memory.string()}).err, Catch::Contains("must be multiples of 4 KiB"));
}

TEST_CASE("ports that nothing is wired to, and those that are not there") {
  expect_refused("pcie_write_stream.json", {"/machine/topology/links=[]"},
                 "port exerciser.link is connected to nothing");
  expect_refused("tca_pio_ping_pong.json", {links0 + "0/ends=[\"core0.bus\", \"rc.core1\"]"},
                 "no port \"core1\"; node0.rc has: core0, memory, slot0, slot1, slot2, qpi");
  expect_refused("tca_pio_ping_pong.json", {links0 + "0/ends=[\"core0.bus\", \"core1.bus\"]"},
                 "port node0.core1.bus is connected twice: to node0.core0.bus and to node0.rc1.core0");
}

TEST_CASE("a memory sends nothing") {
  expect_refused("pcie_write_stream.json", {"/scenario={\"kind\": \"ping_pong\"}"},
                 "only rank 0 of an exerciser and a memory sends");
}

TEST_CASE("more ranks than the kernel has stacks for") {
  const Ended end =
      run_program(with_sets({"run", configs + "/runs/torus_traffic.json"}, {"/machine/topology/sizes=[256, 256]"}));
  CHECK(end.exit_code == 2);
  CHECK_THAT(end.err, Catch::Contains("at most 30000 terminals in all: each is a rank"));
}

TEST_CASE("validate builds machines and the runs of sweeps") {
  const TemporaryFolder folder;
  const auto machine = folder.write("machine.json", R"({
 "$use": ")" + configs + R"(/machines/tca_pair.json",
 "topology": {"links": [{"ends": ["node0.peach2.e", "node1.peach2.x"], "wire": {"kind": "pcie"}}]}
})");
  const Ended end = run_program({"validate", machine.string()});
  CHECK(end.exit_code == 2);
  CHECK_THAT(end.err,
             Catch::Contains("machine.json:3:25: /topology/links/0: no port \"x\"; node1.peach2 has: n, e, w, s"));
  const auto run = folder.write("run.json", R"({"$use": ")" + configs + R"(/runs/tca_pio_ping_pong.json",
 "scenario": {"methods": ["pigeon"]}})");
  const auto sweep =
      folder.write("sweep.json", R"({"run": "run.json", "axes": [{"path": "/options/seed", "values": [1, 2]}]})");
  const Ended ends = run_program({"validate", sweep.string(), run.string(), configs + "/runs/incast.json"});
  CHECK(ends.exit_code == 2);
  CHECK(ends.out == configs + "/runs/incast.json: ok\n");
  CHECK(std::count(ends.err.begin(), ends.err.end(), '\n') == 2);
  CHECK_THAT(ends.err, Catch::Contains("run.json:2:") && Catch::Contains("the library has no method \"pigeon\""));
}

}  // namespace refused_test
