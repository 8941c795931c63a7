// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "support/catch.hpp"
#include "topo/rings.hpp"
#include "topo/routes/deadlock.hpp"

namespace topo_rings_test {

using namespace tsunagi;
using topo::Rings;

namespace {

/// Every pair's route, as dependencies among the outputs of all nodes (node x 4 + way).
std::vector<topo::Dependency> dependencies(const Rings& r) {
  std::vector<topo::Dependency> out;
  const auto channel = [](int node, Rings::Way w) {
    return static_cast<std::uint32_t>(node * 4 + static_cast<int>(w));
  };
  for (int from = 0; from < r.nodes(); ++from)
    for (int to = 0; to < r.nodes(); ++to)
      for (int at = from; at != to;) {
        const Rings::Way w = r.way(at, to);
        const int next = r.next(at, w);
        if (next != to) out.push_back({channel(at, w), channel(next, r.way(next, to))});
        at = next;
      }
  return out;
}

bool can_deadlock(const Rings& r) {
  return !topo::dependency_cycle(static_cast<std::uint32_t>(r.nodes() * 4), dependencies(r)).empty();
}

int farthest(const Rings& r) {
  int most = 0;
  for (int a = 0; a < r.nodes(); ++a)
    for (int b = 0; b < r.nodes(); ++b) most = std::max(most, r.hops(a, b));
  return most;
}

}  // namespace

TEST_CASE("every node of every sub-cluster is reached by a shortest way: k/2 along the ring, one across") {
  for (int rings = 1; rings <= 2; ++rings)
    for (int nodes = 2; nodes <= 16; nodes += rings) {
      const Rings r(nodes, rings);
      const int k = nodes / rings;
      CHECK(farthest(r) == k / 2 + (rings - 1));
      for (int a = 0; a < nodes; ++a)
        for (int b = 0; b < nodes; ++b) {
          const int along = std::abs(a % k - b % k);
          CHECK(r.hops(a, b) == std::min(along, k - along) + (r.ring_of(a) != r.ring_of(b) ? 1 : 0));
        }
    }
}

TEST_CASE("eight nodes in two rings of four are three hops apart at most") { CHECK(farthest(Rings(8, 2)) == 3); }

TEST_CASE("cables go out by E and come in by W, S joins the rings") {
  const Rings r(8, 2);
  CHECK(r.next(3, Rings::Way::east) == 0);
  CHECK(r.next(4, Rings::Way::west) == 7);
  CHECK(r.next(1, Rings::Way::south) == 5);
  CHECK(r.next(5, Rings::Way::south) == 1);
  CHECK(Rings(4, 1).next(0, Rings::Way::south) == -1);
  CHECK(Rings(2, 1).next(1, Rings::Way::east) == -1);  // one cable joins two nodes
  CHECK(Rings(2, 1).way(1, 0) == Rings::Way::west);
}

TEST_CASE("layouts that cannot be are refused by name") {
  CHECK(Rings::why_not(9, 2) == "two rings joined node by node need an even number of nodes, not 9");
  CHECK(Rings::why_not(17, 1) == "a sub-cluster has 2 to 16 nodes, not 17");
  CHECK(Rings::why_not(4, 3) == "a sub-cluster is one ring or two, not 3");
  CHECK_THROWS_AS(Rings(9, 2), std::invalid_argument);
}

TEST_CASE("routes can deadlock where a ring has four nodes or more, and nowhere else") {
  for (int rings = 1; rings <= 2; ++rings)
    for (int nodes = 2; nodes <= 16; nodes += rings) CHECK(can_deadlock(Rings(nodes, rings)) == (nodes / rings >= 4));
}

}  // namespace topo_rings_test
