// SPDX-License-Identifier: Apache-2.0
// One packet to many outputs: all at once across an input-queued router, each when it may through an ideal one.
#include <random>
#include <sstream>

#include "model/router/card_bench.hpp"
#include "support/child.hpp"

namespace multicast_test {

using namespace tsunagi;
using namespace tsunagi::test;
using Arrivals = std::vector<CardArrival>;

namespace {

struct Shape {
  int ports = 4;
  int virtual_channels = 1;
  int buffer_flits = 64;  // of the router
  int output_buffer_flits = 64;
  int card_flits = 64;
};

/// 1 ns a flit and a cycle, 5 ns a wire, 3 cycles a router; 64-byte packets are 5 flits.
CardBench bench(bool ideal, const Shape& s) {
  router::LinkConfig link;
  link.virtual_channels = s.virtual_channels;
  link.max_payload = 64_B;
  router::InputQueuedRouterConfig c;
  c.virtual_channels = s.virtual_channels;
  c.buffer_flits = s.buffer_flits;
  c.output_buffer_flits = s.output_buffer_flits;
  return {ideal ? any_of<router::RouterConfig>("router", c) : any_of("input_queued_router", c), s.ports,
          CardConfig{s.virtual_channels, s.card_flits}, link};
}

constexpr Time through = 5_ns + 3_ns + 5_ns;  // head to head, when nothing is in the way

/// Card 2 sends a packet to all others of so many.
void expect_broadcast(bool ideal, int ports) {
  CardBench b = bench(ideal, {ports});
  b.at(0_ns, [&] { b.card(2).send(b.card(2).header(3 % ports, ports - 1), 64_B, 7); });
  b.run();
  for (int i = 0; i < ports; ++i) CHECK(b.card(i).arrivals() == (i == 2 ? Arrivals{} : Arrivals{{2, through, 7}}));
  CHECK(b.router().copies() == ports - 2);
}

}  // namespace

TEST_CASE("input-queued: a broadcast over three ports arrives everywhere at once") { expect_broadcast(false, 3); }
TEST_CASE("input-queued: a broadcast over eight ports arrives everywhere at once") { expect_broadcast(false, 8); }
TEST_CASE("ideal router: a broadcast over eight ports arrives everywhere at once") { expect_broadcast(true, 8); }

TEST_CASE("input-queued: a broadcast may come back to its sender") {
  CardBench b = bench(false, {});
  b.at(0_ns, [&] { b.card(2).send(b.card(2).header(0, 4), 64_B, 7); });
  b.run();
  for (int i = 0; i < 4; ++i) CHECK(b.card(i).arrivals() == Arrivals{{2, through, 7}});
  CHECK(b.router().copies() == 3);
}

TEST_CASE("input-queued: broadcasts of two inputs take turns") {
  CardBench b = bench(false, {});
  b.at(0_ns, [&] {
    for (std::uint32_t i = 0; i < 2; ++i)
      for (const int from : {0, 1}) b.card(from).send(b.card(from).header(0, 4), 64_B, i);
  });
  b.run();
  for (int i = 0; i < 4; ++i)
    CHECK(b.card(i).arrivals() ==
          Arrivals{{0, through, 0}, {1, through + 5_ns, 0}, {0, through + 5_ns * 2, 1}, {1, through + 5_ns * 3, 1}});
}

TEST_CASE("input-queued: who has broadcast last comes last") {
  CardBench b = bench(false, {});
  b.at(0_ns, [&] { b.card(0).send(b.card(0).header(0, 4), 64_B, 0); });
  b.at(100_ns, [&] {
    for (const int from : {0, 1}) b.card(from).send(b.card(from).header(0, 4), 64_B, 1);
  });
  b.run();
  for (int i = 0; i < 4; ++i)
    CHECK(b.card(i).arrivals() == Arrivals{{0, through, 0}, {1, 100_ns + through, 1}, {0, 105_ns + through, 1}});
}

namespace {

/// All buffers hold one packet. Card 3 keeps what it gets until 200 ns. Card 1 sends it two packets, which fill its
/// buffer and the input-queued router's of output 3 from 31 ns on; a broadcast by card 0 and its next packet come at
/// 100 ns.
CardBench blocked_output(bool ideal) { return bench(ideal, {4, 1, 5, 5, 5}); }

void send_to_blocked(CardBench& b) {
  b.at(0_ns, [&b] {
    b.card(3).hold_until(200_ns);
    for (std::uint32_t i = 0; i < 2; ++i) b.card(1).send(b.card(1).header(3), 64_B, i);
  });
  b.at(100_ns, [&b] {
    b.card(0).send(b.card(0).header(0, 4), 64_B, 7);
    b.card(0).send(b.card(0).header(1), 64_B, 8);
  });
  b.run();
}

}  // namespace

TEST_CASE("input-queued: no copy crosses before all can and the input is free when they have crossed") {
  CardBench b = blocked_output(false);
  send_to_blocked(b);
  // The credit of the first is home at 205 ns, so the second leaves from 205 to 210; the broadcast crosses then.
  for (int i = 0; i < 3; ++i) CHECK(b.card(i).arrivals().front() == CardArrival{0, 215_ns, 7});
  // Output 3 has the next credit when the second has arrived and been told: 215 + 5.
  CHECK(b.card(3).arrivals() == Arrivals{{1, 13_ns, 0}, {1, 210_ns, 1}, {0, 225_ns, 7}});
  // Input 0 is free at 215, told at 220; then two wires and the router.
  CHECK(b.card(1).arrivals().back() == CardArrival{0, 220_ns + through, 8});
  CHECK(b.card(0).sent() == std::vector<Time>{105_ns, 225_ns});
}

TEST_CASE("ideal router: each copy leaves when it may and the input is free when the last has left") {
  CardBench b = blocked_output(true);
  send_to_blocked(b);
  for (int i = 0; i < 3; ++i) CHECK(b.card(i).arrivals().front() == CardArrival{0, 100_ns + through, 7});
  // At output 3 it is input 0's turn when the credit of the first is home at 205.
  CHECK(b.card(3).arrivals() == Arrivals{{1, 13_ns, 0}, {0, 210_ns, 7}, {1, 225_ns, 1}});
  // The last copy has left at 210.
  CHECK(b.card(1).arrivals().back() == CardArrival{0, 215_ns + through, 8});
}

TEST_CASE(
    "input-queued: streams through all outputs cannot starve a broadcast, which keeps outputs free once it waits") {
  CardBench b = bench(false, {});
  // Outputs 2, 3 and 1 carry packet after packet, from 8, 10 and 12 ns on: they are never free together.
  for (int from = 1; from < 4; ++from)
    b.at(2_ns * (from - 1), [&b, from] {
      for (std::uint32_t i = 0; i < 40; ++i) b.card(from).send(b.card(from).header(1 + from % 3), 64_B, i);
    });
  b.at(50_ns, [&] { b.card(0).send(b.card(0).header(1, 3), 64_B, 7); });
  b.run();
  // It is there at 58; output 1 is free last, at 62.
  for (int i = 1; i < 4; ++i) {
    const Arrivals& all = b.card(i).arrivals();
    CHECK(std::count(all.begin(), all.end(), CardArrival{0, 62_ns + 5_ns, 7}) == 1);
    CHECK(all.size() == 41);
  }
}

TEST_CASE("input-queued: an output that a broadcast waits for serves nobody else and others do") {
  CardBench b = bench(false, {});
  // Output 1 is busy from 8 to 13 ns and again, by what stands behind, until 18.
  b.at(0_ns, [&] {
    for (std::uint32_t i = 0; i < 2; ++i) b.card(1).send(b.card(1).header(1), 64_B, i);
  });
  b.at(1_ns, [&] { b.card(0).send(b.card(0).header(0, 2), 64_B, 7); });  // outputs 0 and 1
  b.at(2_ns, [&] { b.card(2).send(b.card(2).header(0), 64_B, 8); });     // held up
  b.at(2_ns, [&] { b.card(3).send(b.card(3).header(3), 64_B, 9); });     // not
  b.run();
  CHECK(b.card(0).arrivals() == Arrivals{{0, 18_ns, 7}, {2, 23_ns, 8}});
  CHECK(b.card(1).arrivals() == Arrivals{{1, 13_ns, 0}, {0, 18_ns, 7}, {1, 23_ns, 1}});
  CHECK(b.card(3).arrivals() == Arrivals{{3, 2_ns + through, 9}});
}

namespace {

/// Random packets to one, some or all; what every card got, when, as text.
std::string random_traffic(bool ideal, bool reversed) {
  CardBench b = bench(ideal, {6, 2, 20, 10, 10});
  b.simulation().agenda().reverse_ties(reversed);
  std::mt19937 random(7);
  std::vector<int> expected(6);
  for (int i = 0; i < 600; ++i) {
    const int from = static_cast<int>(random() % 6), to = static_cast<int>(random() % 6);
    const int copies = random() % 4 == 0 ? 1 + static_cast<int>(random() % 6) : 1;
    const auto bytes = Bytes(1 + random() % 64);
    for (int c = 0; c < copies; ++c) ++expected[static_cast<std::size_t>((to + c) % 6)];
    b.at(1_ns * static_cast<std::int64_t>(random() % 1500), [&b, from, to, copies, bytes, i] {
      b.card(from).send(b.card(from).header(to, copies), bytes, static_cast<std::uint32_t>(i));
    });
  }
  b.run();
  std::ostringstream text;
  for (int i = 0; i < 6; ++i) {
    REQUIRE(b.card(i).arrivals().size() == static_cast<std::size_t>(expected[static_cast<std::size_t>(i)]));
    for (const CardArrival& a : b.card(i).arrivals()) text << a << " ";
  }
  return text.str();
}

}  // namespace

TEST_CASE("input-queued: random broadcasts all arrive, whatever order simultaneous alarms ring in") {
  const std::string forward = in_child([] { return random_traffic(false, false); });
  CHECK(forward.size() > 10'000);
  CHECK(in_child([] { return random_traffic(false, true); }) == forward);
}

TEST_CASE("ideal router: random broadcasts all arrive, whatever order simultaneous alarms ring in") {
  const std::string forward = in_child([] { return random_traffic(true, false); });
  CHECK(forward.size() > 10'000);
  CHECK(in_child([] { return random_traffic(true, true); }) == forward);
}

}  // namespace multicast_test
