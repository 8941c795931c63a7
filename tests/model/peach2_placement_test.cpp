// SPDX-License-Identifier: Apache-2.0
#include "models/peach2/placement.hpp"
#include "support/catch.hpp"
#include "topo/rings.hpp"

namespace peach2_placement_test {

using namespace tsunagi;
using topo::Rings;

TEST_CASE("a placed chip's routing registers lead where the topology says") {
  for (const auto& [nodes, rings] : {std::pair{2, 1}, {8, 2}, {16, 2}, {15, 1}}) {
    const Rings r(nodes, rings);
    for (int node = 0; node < nodes; ++node) {
      const peach2::Peach2Config c = peach2::placed({}, r, node);
      CHECK(c.node == node);
      CHECK(c.nodes == nodes);
      CHECK(c.routes.size() <= 6);
      for (int to = 0; to < nodes; ++to) {
        const int said = static_cast<int>(r.way(node, to));
        int ports = 0;
        for (const peach2::RouteConfig& route : c.routes)
          if (route.first <= to && to <= route.last) {
            ++ports;
            CHECK(route.port == said);  // E, W, S have the same numbers
          }
        CHECK(ports == (to == node ? 0 : 1));
      }
    }
  }
}

TEST_CASE("only what enters a ring must leave a bubble") {
  using namespace peach2;
  CHECK(bubble(0, east, 8).empty());
  CHECK(bubble(1, north, 8).empty());
  CHECK(bubble(1, south, 8).empty());
  CHECK(bubble(1, east, 6) == std::vector<std::uint8_t>{1, 1, 0, 1, 1, 1});
  CHECK(bubble(3, west, 6) == std::vector<std::uint8_t>{3, 0, 3, 3, 3, 3});
}

}  // namespace peach2_placement_test
