// SPDX-License-Identifier: Apache-2.0
// Wake-ups are the currency of speed (docs/performance.md): counted, not timed, on benchmarks of reduced size.
#include "cluster/catalogs.hpp"
#include "config/config.hpp"
#include "support/catch.hpp"
#include "system/simulated.hpp"

namespace wakeups_test {

using namespace tsunagi;

namespace {

constexpr int pcie_links = 5;
constexpr std::uint64_t packets = 4096;
constexpr std::uint64_t hops = packets * (pcie_links + 1);  // the last one is the host's bus

enum class Dllps { off, on };
/// What simulating the flow counted.
report::Cost one_flow(int max_train, Dllps dllps) {
  std::vector<config::Override> changes = {{"/scenario/sizes", "[\"256 KiB\"]"},
                                           {"/options/max_train", std::to_string(max_train)}};
  if (dllps == Dllps::off)
    for (int i = 0; i < pcie_links; ++i)
      for (const char* key : {"acks", "credit_updates"})
        changes.push_back({"/machine/topology/links/" + std::to_string(i) + "/wire/" + key, "false"});
  const auto run =
      config::read<RunConfig>(config::load(TSUNAGI_TEST_CONFIGS "/../tools/bench/one_flow.json", changes), all_kinds());
  const report::Cost cost = test::simulated(run).cost;
  REQUIRE(cost.packet_hops == hops);
  UNSCOPED_INFO(cost.wakeups << " wake-ups, " << cost.packet_hops << " packet-hops");
  return cost;
}

/// Start of the ranks, a fill of the source's queue of 128 each 64 packets, and the ends of four messages.
constexpr std::uint64_t constant = packets / 64 + 50;

}  // namespace

// The first wire (70 ns a packet) outruns the first chip (72 ns), so packets wait for credits there all the time.
TEST_CASE("wakeups: at most two a TLP-hop packet by packet without DLLPs") {
  CHECK(one_flow(1, Dllps::off).wakeups <= 2 * hops + constant);
}

TEST_CASE("wakeups: at most three a TLP-hop packet by packet with DLLPs") {
  CHECK(one_flow(1, Dllps::on).wakeups <= 3 * hops + constant);
}

TEST_CASE("wakeups: at most one in five TLP-hops with trains, everything of PCIe on") {
  CHECK(one_flow(64, Dllps::on).wakeups * 5 <= hops);
}

TEST_CASE("wakeups: at most one a TLP-hop where flows cross in both directions, everything of PCIe on") {
  const auto run = config::read<RunConfig>(
      config::load(TSUNAGI_TEST_CONFIGS "/../tools/bench/ring_neighbours.json", {{"/scenario/messages", "4"}}),
      all_kinds());
  const report::Cost cost = test::simulated(run).cost;
  UNSCOPED_INFO(cost.wakeups << " wake-ups, " << cost.packet_hops << " packet-hops");
  CHECK(cost.packet_hops == 16 * 2 * 4 * 256 * 3);
  CHECK(cost.wakeups <= cost.packet_hops);
}

namespace {

/// What benchmark (h) counts, with such messages.
report::Cost infiniband(const char* faces) {
  const auto run = config::read<RunConfig>(
      config::load(TSUNAGI_TEST_CONFIGS "/../tools/bench/infiniband.json", {{"/scenario/faces", faces}}), all_kinds());
  const report::Cost cost = test::simulated(run).cost;
  UNSCOPED_INFO(cost.wakeups << " wake-ups, " << cost.packet_hops << " packet-hops");
  return cost;
}

}  // namespace

// Of reads and writes of host memory most are a packet or two.
TEST_CASE("wakeups: at most seven in four packet-hops where nodes write to each other over InfiniBand") {
  const report::Cost cost = infiniband("[\"64 KiB\"]");
  CHECK(cost.wakeups * 4 <= cost.packet_hops * 7);
}

TEST_CASE("wakeups: at most two a packet-hop of small messages over InfiniBand, those of programs among them") {
  const report::Cost cost = infiniband("[\"64 B\"]");
  CHECK(cost.wakeups <= cost.packet_hops * 2);
}

// What goes wrong with packets that are handed on too early goes wrong at all nodes alike: what one finds out holds for
// all, or there are as many attempts as nodes find it out at different times.
TEST_CASE("wakeups: attempts at an all-to-all of 32 nodes cost less than a quarter of it") {
  const auto cost = [](int max_train) {
    const report::Cost c =
        test::simulated(
            test::run_of("mpi_allreduce", {{"/options/max_train", std::to_string(max_train)},
                                           {"/machine/topology/nodes", "32"},
                                           {"/scenario", R"({"kind": "all_to_all", "by": "messages", "sizes": ["2 KiB"],
                                                        "algorithms": ["linear"], "iterations": 1, "warm_up": 0})"}}))
            .cost;
    UNSCOPED_INFO(c.wakeups << " wake-ups with trains up to " << max_train);
    return c;
  };
  CHECK(cost(64).wakeups * 4 <= cost(1).wakeups * 5);
}

namespace {

/// A collective of `ranks` ranks on a crossbar, one packet a message, in rounds in which each rank sends one message
/// and gets one: what it costs in wake-ups.
void expect_wakeups_of_rounds(int ranks, int rounds, const std::string& scenario) {
  const report::Cost cost =
      test::simulated(test::run_of("allreduce_crossbar", {{"/machine/topology/terminals", std::to_string(ranks)},
                                                          {"/machine/topology/wire/max_payload", "\"4 KiB\""},
                                                          {"/machine/topology/router/buffer_flits", "1024"},
                                                          {"/scenario", scenario}}))
          .cost;
  const auto messages = static_cast<std::uint64_t>(ranks) * static_cast<std::uint64_t>(rounds);
  CHECK(cost.packet_hops == 2 * messages);
  // Of a message: a grant and an arrival on each of two links, its receiver's end of waiting, and two looks, one before
  // the receiver waits and one behind, each with a turn and an end of waiting for that. All ranks act at one instant:
  // of each round the first that looks finds nothing due. All ranks but one have waited for the start; that one's look
  // before it waits has its turn together with the others' beginning, and waits for what they send once more.
  const auto looks = 2 * static_cast<std::uint64_t>(rounds);
  const auto start = static_cast<std::uint64_t>(ranks - 1) + 2;
  CHECK(cost.wakeups == (4 + 1 + 2 * 2) * messages - looks + start);
}

}  // namespace

TEST_CASE("wakeups: nine of a message in a ring allreduce, however many ranks there are") {
  for (const int ranks : {16, 64, 256}) {
    INFO(ranks << " ranks");
    expect_wakeups_of_rounds(ranks, 2 * (ranks - 1),
                             R"({"kind": "reduction", "result": "allreduce", "algorithms": ["ring"], "iterations": 1,
                                 "warm_up": 0, "sizes": [")" +
                                 std::to_string(4 * ranks) + R"( KiB"]})");
  }
}

TEST_CASE("wakeups: nine of a message in an all-to-all by pairs, however many ranks there are") {
  for (const int ranks : {16, 64, 256}) {
    INFO(ranks << " ranks");
    expect_wakeups_of_rounds(ranks, ranks - 1,
                             R"({"kind": "all_to_all", "by": "messages", "algorithms": ["pairwise"], "iterations": 1,
                                 "warm_up": 0, "sizes": ["256 B"]})");
  }
}

// A grant on each of two links; that a packet is there wakes nobody. And a turn of the rank that posts it.
TEST_CASE("wakeups: at most three of a packet over a crossbar where nobody receives") {
  const report::Cost cost = test::simulated(test::run_of("incast", {{"/scenario/pattern", "\"uniform\""},
                                                                    {"/scenario/size", "\"256 B\""},
                                                                    {"/scenario/loads", "[\"10 %\"]"}}))
                                .cost;
  UNSCOPED_INFO(cost.wakeups << " wake-ups, " << cost.packet_hops << " packet-hops");
  CHECK(cost.packet_hops > 1000);
  CHECK(cost.wakeups * 2 <= cost.packet_hops * 3 + 500);
}

}  // namespace wakeups_test
