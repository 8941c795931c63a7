// SPDX-License-Identifier: Apache-2.0
// The pieces of a worm keep an output's virtual channel of an input-queued router until the last has crossed.
#include "model/router/card_bench.hpp"

namespace input_queued_worm_test {

using namespace tsunagi;
using namespace tsunagi::test;
using Arrivals = std::vector<CardArrival>;

namespace {

/// 1 ns a flit and a cycle, 5 ns a wire, 3 cycles a router; 64-byte pieces are 5 flits. Two virtual channels.
CardBench bench() {
  router::LinkConfig link;
  link.max_payload = 64_B;
  return {any_of("input_queued_router", router::InputQueuedRouterConfig{}), 4, CardConfig{2, 64}, link};
}

/// On that virtual channel of all wires.
router::Header on(int vc, router::Header h, bool more = false) {
  h.mix = static_cast<std::uint32_t>(vc) << 8;
  h.vc = static_cast<flow::FlowClass>(vc);
  h.more = more;
  return h;
}

/// Card 0 sends card 2 a worm of three pieces on virtual channel 0, which cross from 8, 28 and 48 ns on.
void send_worm(CardBench& b) {
  for (int i = 0; i < 3; ++i)
    b.at(20_ns * i,
         [&b, i] { b.card(0).send(on(0, b.card(0).header(2), i < 2), 64_B, static_cast<std::uint32_t>(i)); });
}

}  // namespace

TEST_CASE("a worm keeps its virtual channel from other inputs between its pieces") {
  CardBench b = bench();
  send_worm(b);
  b.at(1_ns, [&] { b.card(1).send(on(0, b.card(1).header(2)), 64_B, 7); });
  b.run();
  CHECK(b.card(2).arrivals() == Arrivals{{0, 13_ns, 0}, {0, 33_ns, 1}, {0, 53_ns, 2}, {1, 58_ns, 7}});
}

TEST_CASE("a worm does not keep other virtual channels and outputs") {
  CardBench b = bench();
  send_worm(b);
  b.at(1_ns, [&] {
    b.card(1).send(on(1, b.card(1).header(2)), 64_B, 7);
    b.card(3).send(on(0, b.card(3).header(1)), 64_B, 8);
  });
  b.run();
  CHECK(b.card(2).arrivals() == Arrivals{{0, 13_ns, 0}, {1, 18_ns, 7}, {0, 33_ns, 1}, {0, 53_ns, 2}});
  CHECK(b.card(1).arrivals() == Arrivals{{3, 14_ns, 8}});
}

TEST_CASE("a broadcast waits for a worm, and its claim on the output does not stop the worm") {
  CardBench b = bench();
  send_worm(b);
  b.at(1_ns, [&] { b.card(1).send(on(0, b.card(1).header(0, 4)), 64_B, 7); });
  b.run();
  CHECK(b.card(2).arrivals() == Arrivals{{0, 13_ns, 0}, {0, 33_ns, 1}, {0, 53_ns, 2}, {1, 58_ns, 7}});
  CHECK(b.card(3).arrivals() == Arrivals{{1, 58_ns, 7}});
}

TEST_CASE("worms of two inputs to one virtual channel follow each other whole") {
  CardBench b = bench();
  send_worm(b);
  for (int i = 0; i < 3; ++i)
    b.at(1_ns + 2_ns * i,
         [&b, i] { b.card(1).send(on(0, b.card(1).header(2), i < 2), 64_B, static_cast<std::uint32_t>(i)); });
  b.run();
  CHECK(b.card(2).arrivals() ==
        Arrivals{{0, 13_ns, 0}, {0, 33_ns, 1}, {0, 53_ns, 2}, {1, 58_ns, 0}, {1, 63_ns, 1}, {1, 68_ns, 2}});
}

}  // namespace input_queued_worm_test
