// SPDX-License-Identifier: Apache-2.0
// What the micro-benchmarks refuse before time 0, and what their rows show.
#include "support/catch.hpp"
#include "support/program.hpp"

namespace pcie_bench_cli_test {

using namespace tsunagi::test;

namespace {

const std::string runs = TSUNAGI_TEST_CONFIGS "/runs/";

Ended with(const std::string& run, const std::vector<std::string>& sets) {
  std::vector<std::string> arguments{"run", runs + run};
  for (const std::string& s : sets) arguments.insert(arguments.end(), {"--set", s});
  return run_program(arguments);
}

void expect_wrong(const std::vector<std::string>& sets, const std::string& says,
                  const std::string& run = "pcie_lat_rd.json") {
  const Ended end = with(run, sets);
  CAPTURE(sets, end.err);
  CHECK(end.exit_code == 2);
  CHECK(end.out.empty());
  CHECK_THAT(end.err, Catch::Contains(says));
}

}  // namespace

TEST_CASE("pcie_bench: transfers that fit no page or no window are refused") {
  expect_wrong({"/scenario/sizes=[\"4 KiB\"]", "/scenario/offset=\"1 B\""},
               "a transfer of 4 KiB at offset 1 B takes more than a page of 4 KiB");
  expect_wrong({"/scenario/sizes=[\"8 KiB\"]"}, "/scenario/sizes/0");
  expect_wrong({"/scenario/sizes=[\"0 B\", \"64 B\"]"}, "/scenario/sizes/0");
  expect_wrong({"/scenario/windows=[\"0 B\"]"}, "/scenario/windows/0");
  expect_wrong({"/scenario/windows=[\"64 B\"]", "/scenario/sizes=[\"64 B\"]", "/scenario/offset=\"1 B\""},
               "a window of 64 B does not hold one unit of 128 B, which a transfer of 64 B at offset 1 B takes");
  expect_wrong({"/scenario/windows=[\"1 KiB\"]", "/scenario/sizes=[\"2 KiB\"]"},
               "a window of 1 KiB does not hold one unit of 2 KiB");
  expect_wrong({"/scenario/offset=\"64 B\""}, "/scenario/offset");
  expect_wrong({"/scenario/windows=[\"1 TiB\"]"}, "a window of 1 TiB is more than the memory has: 60 GiB");
}

TEST_CASE("pcie_bench: what is misspelt is refused with what there is") {
  expect_wrong({"/scenario/pattern=\"randon\""}, "did you mean \"random\"");
  expect_wrong({"/scenario/benchmark=\"lat_rw\""}, "lat_wrrd");
  expect_wrong({"/scenario/method=\"cmd\""}, "the library has no method \"cmd\"; methods: dma, command");
  expect_wrong({"/library/remote_memory=\"memory1x\""}, "did you mean \"memory1\"");
  expect_wrong({"/library/memory=\"memori\""}, "did you mean \"memory\"");
}

TEST_CASE("pcie_bench: what the machine does not have is refused") {
  expect_wrong({"/scenario/node=\"remote\"", "/library/remote_memory=\"\""}, "no memory of another socket");
  expect_wrong({"/machine/topology/devices/nic/engine/workers=0"}, "no card of the library does DMA by itself");
  expect_wrong({"/scenario/method=\"command\"", "/scenario/sizes=[\"65 B\"]"},
               "a command moves 64 B at most, not 65 B");
  expect_wrong({"/scenario/transactions=3"}, "an even number", "pcie_bw_rdwr.json");
  expect_wrong({"/library/stride=\"8 GiB\""}, "\"remote_memory\" goes with one exerciser");
  expect_wrong({R"(/scenario={"kind": "pcie_bench"})"}, "no card of the library does DMA by itself",
               "tca_ping_pong.json");
}

TEST_CASE("pcie_bench: a card whose buffer holds no completion cannot read but write") {
  expect_wrong({R"(/machine/topology/devices/nic/buffers={"completion_headers": 1, "completion_data": 4})"},
               "the completion buffer of nic.link does not hold one packet of 256 B, as rc.slot0 may send");
  const Ended end =
      with("pcie_write_stream.json", {R"(/machine/topology/devices/exerciser/buffers={"completion_headers": 1})",
                                      "/machine/topology/devices/exerciser/buffers/completion_data=1"});
  CAPTURE(end.err);
  CHECK(end.exit_code == 0);
}

TEST_CASE("pcie_bench: a row a window and size with its bound beside it") {
  const Ended end = with("pcie_bw_wr.json", {"/scenario/sizes=[\"64 B\",\"256 B\"]",
                                             "/scenario/windows=[\"4 KiB\",\"1 MiB\"]", "/scenario/transactions=100"});
  CAPTURE(end.err);
  REQUIRE(end.exit_code == 0);
  CHECK_THAT(end.out, Catch::Contains("window") && Catch::Contains("bandwidth    ceiling"));
  CHECK_THAT(end.out, Catch::Contains("5.73 GB/s") && Catch::Contains("7.20 GB/s"));  // docs/pcie.md
}

}  // namespace pcie_bench_cli_test
