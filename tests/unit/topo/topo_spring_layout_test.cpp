// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "support/catch.hpp"
#include "support/topo/graphs.hpp"
#include "topo/spring_layout.hpp"

namespace topo_spring_layout_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

double apart(const topo::Network::Spot& a, const topo::Network::Spot& b) { return std::hypot(a.x - b.x, a.y - b.y); }

}  // namespace

TEST_CASE("routers that cables join stand nearer to each other than others and none on another") {
  // two squares that one cable joins
  const Shape shape{
      8, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {7, 4}}, std::vector<int>(8, 1)};
  const auto spots = topo::spring_layout(graph_network(shape));
  REQUIRE(spots.size() == 8);
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t j = 0; j < i; ++j) CHECK(apart(spots[i], spots[j]) > 0.5);
  for (const std::size_t near : {0, 1, 2})
    for (const std::size_t far : {5, 6, 7}) CHECK(apart(spots[near], spots[3]) < apart(spots[near], spots[far]));
}

TEST_CASE("a picture of many routers is not laid out by springs") {
  Shape star{101, {}, std::vector<int>(101, 1)};
  for (int r = 1; r < 101; ++r) star.edges.emplace_back(0, r);
  CHECK(topo::spring_layout(graph_network(star)).empty());
}

}  // namespace topo_spring_layout_test
