// SPDX-License-Identifier: Apache-2.0
// What one iteration of the allocator of an input-queued router leaves idle for a cycle, and a second one does not.
#include <string>

#include "model/router/card_bench.hpp"
#include "support/child.hpp"

namespace allocator_test {

using namespace tsunagi;
using namespace tsunagi::test;
using Arrivals = std::vector<CardArrival>;

namespace {

/// Cards 0 and 1 have a packet of 5 flits each for cards 2 (virtual channel 0) and 3 (1), both of whose outputs 17
/// flits of cards 4 and 5 keep until 25 ns. Returns what came to cards 2 and 3 behind those.
std::pair<Arrivals, Arrivals> behind(router::InputQueuedRouterConfig c) {
  CardBench b(any_of("input_queued_router", c), 6, CardConfig{2, 64}, {});
  const auto send = [&b](int from, int to, int vc, Bytes n) {
    router::Header h = b.card(from).header(to);
    h.mix = static_cast<std::uint32_t>(vc) << 8;
    h.vc = static_cast<flow::FlowClass>(vc);
    b.card(from).send(h, n);
  };
  b.at(0_ns, [&] {
    send(4, 2, 0, 256_B);
    send(5, 3, 1, 256_B);
  });
  b.at(1_ns, [&] {
    for (const int from : {0, 1})
      for (const int to : {2, 3}) send(from, to, to - 2, 64_B);
  });
  b.run();
  const auto rest = [&b](int card) {
    const Arrivals& all = b.card(card).arrivals();
    return Arrivals(all.begin() + 1, all.end());
  };
  return {rest(2), rest(3)};
}

}  // namespace

TEST_CASE("an input that is granted two outputs leaves one idle for a cycle") {
  // Both outputs grant input 0, which takes output 2; a cycle later nobody but input 1 asks for output 3.
  const auto [at_2, at_3] = behind({});
  CHECK(at_2 == Arrivals{{0, 25_ns + 5_ns, 0}, {1, 31_ns + 5_ns, 0}});
  CHECK(at_3 == Arrivals{{1, 26_ns + 5_ns, 0}, {0, 31_ns + 5_ns, 0}});
}

TEST_CASE("in a second iteration the output that was not taken grants another input") {
  router::InputQueuedRouterConfig two;
  two.iterations = 2;
  const auto [at_2, at_3] = behind(two);
  CHECK(at_2 == Arrivals{{0, 25_ns + 5_ns, 0}, {1, 30_ns + 5_ns, 0}});
  CHECK(at_3 == Arrivals{{1, 25_ns + 5_ns, 0}, {0, 30_ns + 5_ns, 0}});
}

TEST_CASE("the wavefront leaves no output idle that an input could use") {
  router::InputQueuedRouterConfig wavefront;
  wavefront.allocator = router::Allocation::wavefront;
  const auto [at_2, at_3] = behind(wavefront);
  REQUIRE(at_2.size() == 2);
  REQUIRE(at_3.size() == 2);
  // Both outputs are used at 25 ns and at 30 ns, by one input each: which, the diagonal says.
  CHECK(at_2[0].head == 25_ns + 5_ns);
  CHECK(at_2[1].head == 30_ns + 5_ns);
  CHECK(at_3[0].head == 25_ns + 5_ns);
  CHECK(at_3[1].head == 30_ns + 5_ns);
  CHECK(at_2[0].from != at_3[0].from);
}

TEST_CASE("where channels have turns each is granted to one input's channel, and only that asks for the crossbar") {
  // 17 flits of card 2 keep the output to card 3 until all wait: card 0 has three packets of 5 flits for each of its
  // channels, card 1 three for channel 0.
  const auto from = [](router::Turns turns) {
    return in_child([turns] {
      router::InputQueuedRouterConfig c;
      c.turns = turns;
      c.output_buffer_flits = 256;
      c.buffer_flits = 64;
      CardBench b(any_of("input_queued_router", c), 4, CardConfig{2, 64}, {});
      const auto send = [&b](int card, int vc, Bytes n) {
        router::Header h = b.card(card).header(3);
        h.mix = static_cast<std::uint32_t>(vc) << 8;
        h.vc = static_cast<flow::FlowClass>(vc);
        b.card(card).send(h, n);
      };
      b.at(0_ns, [&] { send(2, 0, 256_B); });
      b.at(1_ns, [&] {
        for (int i = 0; i < 3; ++i) {
          send(0, 0, 64_B);
          send(0, 1, 64_B);
          send(1, 0, 64_B);
        }
      });
      b.run();
      std::string out;
      for (const CardArrival& a : b.card(3).arrivals()) out += static_cast<char>('0' + a.from);
      return out;
    });
  };
  CHECK(from(router::Turns::inputs) == "2010101000");
  // Channel 0 goes to card 0 and 1 in turn; while it is granted to card 0 card 1 has none to ask for.
  CHECK(from(router::Turns::channels) == "2010010010");
}

}  // namespace allocator_test
