// SPDX-License-Identifier: Apache-2.0
// Terminals cut messages as they leave: in the order, at the times and by the virtual channels that they had if all
// packets waited from the beginning, and in memory that does not grow with the message.
#include <algorithm>
#include <utility>
#include <vector>

#include "support/child.hpp"
#include "support/grid_bench.hpp"

namespace terminal_test {

using namespace tsunagi;
using namespace tsunagi::test;
using router::Terminal;

namespace {

/// What arrives at a terminal, packet by packet.
struct Arrivals final : Terminal::Sink, net::SlotOwner {
  Arrivals(GridBench& b, bool hears) : bench(b), ahead(hears) {}
  struct Packet {
    std::uint32_t origin;
    std::uint64_t offset;
    Time tail;
    flow::FlowClass vc;
    Time told;
  };
  void arrived(const flow::Packet& p, Time tail) override {
    for (std::int32_t i = 0; i < p.count; ++i)
      packets.push_back({p.origin, p.origin_offset + static_cast<std::uint64_t>((p.payload * i).count()), tail,
                         p.header<router::Header>().vc, bench.sim().now()});
  }
  bool hears_ahead() const override { return ahead; }
  void slot_released(flow::FlowClass, flow::Credits, net::Spans, std::uint64_t) override {}
  Time slot_now() const override { return bench.sim().now(); }

  GridBench& bench;
  bool ahead;
  std::vector<Packet> packets;
};

/// Has terminal 0 send messages of these lengths to terminals `to`, all at time 0; what arrives at any of those, as it
/// comes, or ahead of that. The first message's origin is 0.
std::vector<Arrivals::Packet> sent(GridBench& b, const std::vector<std::pair<int, Bytes>>& messages,
                                   bool ahead = false) {
  Arrivals there(b, ahead);
  const std::vector<Terminal*> terminals = b.machine().all<Terminal>();
  for (Terminal* t : terminals) t->set_sink(there);
  b.sim().spawn("sender", [&](Fiber&) {
    std::uint32_t origin = 0;
    for (const auto& [to, n] : messages) terminals[0]->send(to, n, origin++, there);
  });
  b.run();
  return there.packets;
}

/// They have come as they were cut: message by message, and each from its first byte to its last.
void expect_in_order(const std::vector<Arrivals::Packet>& packets, std::size_t count) {
  REQUIRE(packets.size() == count);
  REQUIRE(std::is_sorted(packets.begin(), packets.end(), [](const auto& x, const auto& y) {
    return x.origin != y.origin ? x.origin < y.origin : x.offset < y.offset;
  }));
}

}  // namespace

TEST_CASE("a message of a gibibyte takes no more packets than what is on its way", "[terminal]") {
  for (const int max_train : {1, 64}) {
    // a packet of 256 B and its header take 17 flits; the way is 2 x 5 ns and some cycles long
    const std::string most = in_child([max_train] {
      GridBench b(crossbar(2), max_train, {}, false);
      std::int64_t waiting = 0;
      b.program(0, [](comm::Rank& r) { r.isend(1, {{}, 1_GiB, {}, {}}); });
      b.program(1, [&](comm::Rank& r) {
        for (int i = 1; i <= 100; ++i) {
          r.wait_until(1_us * i);
          waiting = std::max(waiting, b.machine().pool().outstanding());
        }
      });
      b.sim().run(100_us);
      return std::to_string(waiting);
    });
    CAPTURE(max_train);
    CHECK(std::stoll(most) > 0);
    CHECK(std::stoll(most) <= 8);  // packets, or trains
  }
}

TEST_CASE("messages of one instant leave in their order, whatever virtual channels they wait by", "[terminal]") {
  for (const int max_train : {1, 64}) {
    CHECK(in_child([max_train] {
            Network n = crossbar(9);
            n.router.virtual_channels = n.link.virtual_channels = 4;
            GridBench b(n, max_train, {}, false);
            std::vector<std::pair<int, Bytes>> messages;
            std::size_t packets = 0;
            for (int to = 1; to < 9; ++to) {
              messages.push_back({to, 256_B * (100 * to % 7 + 1) + 1_B});
              packets += static_cast<std::size_t>(100 * to % 7 + 2);
            }
            const std::vector<Arrivals::Packet> came = sent(b, messages);
            expect_in_order(came, packets);
            return std::to_string(std::count_if(came.begin(), came.end(), [](const auto& p) { return p.vc > 0; }) > 0);
          }) == "1");
  }
}

TEST_CASE("packets over adaptive routes leave in their order, each by a virtual channel of its own", "[terminal]") {
  Network n = torus({2, 2});
  n.terminals = 2;
  n.router.virtual_channels = n.link.virtual_channels = 6;
  n.routes = topo::GridRouting::minimal_adaptive;
  GridBench b(n, 1, {}, false);
  const std::vector<Arrivals::Packet> came = sent(b, {{1, 256_B * 50}, {1, 100_B}, {1, 256_B * 20 + 1_B}});
  expect_in_order(came, 50 + 1 + 21);  // terminals 0 and 1 are at one router
  std::vector<std::int64_t> by_vc(6);
  for (const Arrivals::Packet& p : came) ++by_vc[p.vc];
  CHECK(std::count(by_vc.begin(), by_vc.end(), 0) == 0);
}

TEST_CASE("a long message arrives as its packets back to back", "[terminal]") {
  for (const int max_train : {1, 64}) {
    const std::string times = in_child([max_train] {
      GridBench b(crossbar(2), max_train, {}, false);
      const std::vector<Arrivals::Packet> came = sent(b, {{1, 256_B * 1000}});
      expect_in_order(came, 1000);
      return std::to_string((came.back().tail - came.front().tail).fs());
    });
    // 17 flits of 1 ns each; of a train the tail is the last packet's
    if (max_train == 1) CHECK(std::stoll(times) == (17_ns * 999).fs());
    if (max_train == 64) CHECK(std::stoll(times) % (17_ns).fs() == 0);
  }
}

TEST_CASE("who hears ahead is told when packets leave for there, of the same times, and nobody wakes up for it",
          "[terminal]") {
  constexpr int packets = 10;
  const auto told = [](bool ahead) {
    return in_child([ahead] {
      GridBench b(crossbar(2), 64);  // what travels alone is told when it is there
      const std::vector<Arrivals::Packet> came =
          sent(b, std::vector<std::pair<int, Bytes>>(packets, {1, 256_B}), ahead);
      expect_in_order(came, packets);
      for (const Arrivals::Packet& p : came) {
        // A packet takes 17 ns to the end of its wire, which is 5 ns long; a head that is here is told at once.
        CHECK((p.told < p.tail - 17_ns) == ahead);
        CHECK(p.told <= p.tail);
      }
      return std::to_string(came.front().tail.fs()) + " to " + std::to_string(came.back().tail.fs()) + " by " +
             std::to_string(static_cast<int>(b.sim().agenda().wakeups()) + (ahead ? packets : 0));
    });
  };
  CHECK(told(false) == told(true));
}

}  // namespace terminal_test
