// SPDX-License-Identifier: Apache-2.0
#include "support/catch.hpp"
#include "support/topo/networks.hpp"
#include "topo/hypercube.hpp"
#include "topo/routes/loads.hpp"

namespace topo_hypercube_test {

using namespace tsunagi;
using namespace tsunagi::test;

TEST_CASE("routes of a hypercube are as long as the bits that differ, and cannot deadlock") {
  for (const auto& [dimensions, terminals] : {std::pair{1, 1}, {2, 3}, {4, 1}, {5, 2}}) {
    const SharedNetwork n = share(topo::hypercube_network({dimensions, terminals, {}}));
    REQUIRE(n->routers() == 1 << dimensions);
    REQUIRE(n->cables().size() == static_cast<std::size_t>(dimensions << dimensions >> 1));
    REQUIRE(n->terminals() == terminals << dimensions);
    for (int from = 0; from < n->terminals(); ++from)
      for (int to = 0; to < n->terminals(); ++to)
        REQUIRE(wires_between(*n, from, to) ==
                2 + __builtin_popcount(static_cast<unsigned>(from / terminals ^ to / terminals)));
    CHECK(!can_deadlock(n, 1));
  }
}

TEST_CASE("uniform traffic loads all wires of a hypercube alike") {
  const SharedNetwork n = share(topo::hypercube_network({4, 1, {}}));
  const topo::Loads loads(*n, [](int from, int to) { return from == to ? 0 : 1; });
  // Half of the 16 destinations of each of the 8 routers on a side lie across, by 8 wires.
  for (int r = 0; r < 16; ++r)
    for (int d = 0; d < 4; ++d) REQUIRE(loads.of(r, d) == 8);
}

}  // namespace topo_hypercube_test
