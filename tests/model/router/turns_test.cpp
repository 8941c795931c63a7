// SPDX-License-Identifier: Apache-2.0
// Who goes first of the packets that want one output of a router, against schedules made by hand.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "models/router/placed_router.hpp"
#include "support/child.hpp"
#include "support/grid_bench.hpp"

namespace turns_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Milestone;
using router::Turns;

namespace {

/// A line of three routers, two ranks at each. Rank 2, at the middle one, is sent three packets of 17 flits by each of
/// `n`, its neighbour (rank 3), from 0 ns on, `a` (rank 0, a router away) from 1 ns on, and `b` (rank 4, on the other
/// side) from 2 ns on. Returns who sent the first, second, … that came; they come back to back.
std::string order(Turns turns, bool queued, int max_train = 1) {
  return in_child([&] {
    Network n = mesh({3});
    n.terminals = 2;
    n.router.virtual_channels = n.link.virtual_channels = 1;
    n.router.turns = turns;
    if (queued) n = input_queued(n, [](router::InputQueuedRouterConfig& c) { c.output_buffer_flits = 64; });
    GridBench b(n, max_train);
    std::vector<std::pair<Time, char>> came;
    const auto sends = [&](int rank, Time when, char name) {
      b.program(rank, [&came, when, name](comm::Rank& r) {
        r.wait_until(when);
        std::vector<comm::Request> all;
        for (int i = 0; i < 3; ++i) all.push_back(r.isend(2, {{}, 256_B, {}, {}}));
        for (const comm::Request& q : all) {
          r.wait(q, Milestone::delivered);
          came.emplace_back(q.at(Milestone::delivered), name);
        }
      });
    };
    sends(3, 0_ns, 'n');
    sends(0, 1_ns, 'a');
    sends(4, 2_ns, 'b');
    b.run();
    std::sort(came.begin(), came.end());
    std::string out;
    // A cycle, 5 ns of flight and three cycles to the router; 17 flits each; 5 ns of flight and a cycle.
    Time tail = 1_ns + 5_ns + 3_ns + 5_ns + 1_ns;
    for (const auto& [time, name] : came) {
      CHECK(time == (tail += 17_ns));
      out += name;
    }
    return out;
  });
}

}  // namespace

TEST_CASE("turns of inputs: one packet of each, wherever it comes from") {
  for (const bool queued : {false, true}) {
    CHECK(order(Turns::inputs, queued) == "nbanbanba");
    CHECK(order(Turns::channels, queued) == "nbanbanba");  // of one channel
  }
}

TEST_CASE("in transit first: what comes from a terminal goes where nothing from a router may") {
  for (const bool queued : {false, true}) CHECK(order(Turns::in_transit, queued) == "nbababann");
}

TEST_CASE("the oldest first: whose message was posted first, whatever its turn") {
  for (const bool queued : {false, true}) CHECK(order(Turns::oldest, queued) == "nnnaaabbb");
}

TEST_CASE("the oldest in transit first: by age among what comes from routers, then among what comes from terminals") {
  for (const bool queued : {false, true}) CHECK(order(Turns::oldest_in_transit, queued) == "naaabbbnn");
}

TEST_CASE("trains have the turns of their packets") {
  for (const Turns t : {Turns::inputs, Turns::channels, Turns::in_transit, Turns::oldest, Turns::oldest_in_transit})
    for (const bool queued : {false, true}) CHECK(order(t, queued, 64) == order(t, queued));
}

}  // namespace turns_test
