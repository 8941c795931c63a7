// SPDX-License-Identifier: Apache-2.0
#include "models/peach2/placement.hpp"
#include "support/bench.hpp"
#include "support/child.hpp"
#include "topo/rings.hpp"

namespace peach2_placement_test {

using namespace tsunagi;
using topo::Rings;

TEST_CASE("a placed chip's routing registers lead where the topology says") {
  for (const auto& [nodes, rings] : {std::pair{2, 1}, {8, 2}, {16, 2}, {15, 1}}) {
    const Rings r(nodes, rings);
    topo::RingsConfig config;
    config.nodes = nodes;
    config.rings = rings;
    const auto network = std::make_shared<const topo::Network>(topo::rings_network(config));
    for (int node = 0; node < nodes; ++node) {
      const peach2::Peach2Config c = peach2::placed({}, {network, topo::Place::Role::router, node, {}});
      CHECK(c.node == node);
      CHECK(c.nodes == nodes);
      CHECK(c.south_role == (r.ring_of(node) == 0 ? net::LinkRole::root_complex : net::LinkRole::endpoint));
      CHECK((c.bubble > 0) == r.closed());
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

TEST_CASE("three chips in a row close no ring, three in a circle do") {
  for (const bool circle : {false, true}) {
    const std::string text = test::in_child([&] {
      test::Bench b;
      for (int i = 0; i < 3; ++i) {
        peach2::Peach2Config c;
        c.node = i;
        c.nodes = 3;
        b.device("chip" + std::to_string(i), c);
      }
      b.wire("chip0.e", "chip1.w", test::gen2_x8());
      b.wire("chip1.e", "chip2.w", test::gen2_x8());
      if (circle) b.wire("chip2.e", "chip0.w", test::gen2_x8());
      b.build();
      std::string in_ring;
      for (int i = 0; i < 3; ++i)
        for (const int out : {peach2::east, peach2::west})
          in_ring += b.machine().get<peach2::Peach2>("chip" + std::to_string(i)).ring_of(out) == 3 ? '1' : '0';
      return in_ring;
    });
    CHECK(text == (circle ? "111111" : "000000"));
  }
}

TEST_CASE("what enters a ring leaves as much free as small packets can break up") {
  // Four chips in a ring, a packet of 256 B takes 16 units: three chips may have 15 each that no such packet fits into.
  const auto arrivals = [](std::int64_t units) {
    return test::in_child([&] {
      test::Bench b;
      for (int i = 0; i < 4; ++i) {
        peach2::Peach2Config c;
        c.node = i;
        c.nodes = 4;
        c.buffers.posted_headers = 64;
        c.buffers.posted_data = units;
        b.device("chip" + std::to_string(i), c);
      }
      for (int i = 0; i < 4; ++i)
        b.wire("chip" + std::to_string(i) + ".e", "chip" + std::to_string((i + 1) % 4) + ".w", test::gen2_x8());
      b.build();
      const net::Port& p = b.machine().get<peach2::Peach2>("chip0").ports()[peach2::east];
      return std::to_string(p.channel().reserve_of(peach2::north));
    });
  };
  CHECK(arrivals(360) == "4");  // a bubble of one and three more
  CHECK(arrivals(64) == "3");   // of four packets, one is the one that enters
  CHECK(arrivals(32) == "1");
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
