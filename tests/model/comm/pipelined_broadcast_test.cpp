// SPDX-License-Identifier: Apache-2.0
// How far ahead a rank sends the segments of a pipelined broadcast: the third waits until the first has left.
#include "support/grid_bench.hpp"

namespace pipelined_broadcast_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// Keeps when the sends of rank 0 were called.
struct Sends final : comm::Listener {
  void call(const comm::Call& c) override {
    if (c.kind == comm::Call::Kind::send && c.rank == 0) begins.push_back(c.begin);
  }
  void step(const comm::Step&) override {}
  std::vector<Time> begins;
};

}  // namespace

TEST_CASE("a pipelined broadcast has two segments under way, of which one is on the wire and one waits for it") {
  constexpr int segments = 6;
  GridBench b(crossbar(2));
  Sends sends;
  b.world().set_listener(sends);
  for (int rank = 0; rank < 2; ++rank)
    b.program(rank, [](comm::Rank& r) { r.world().broadcast(0, {{}, 256_B * segments, {}, {}}, {"chain", 256_B, 2}); });
  b.run();
  // A segment is a packet of 17 flits of a ns; its head is on the wire a cycle after the call.
  std::vector<Time> expected;
  for (int i = 0; i < segments; ++i) expected.push_back(i < 2 ? 0_ns : 1_ns + 17_ns * (i - 1));
  CHECK(sends.begins == expected);
}

}  // namespace pipelined_broadcast_test
