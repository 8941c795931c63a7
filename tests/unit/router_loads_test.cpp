// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "models/router/loads.hpp"
#include "scenarios/traffic_pattern.hpp"
#include "support/catch.hpp"

namespace router_loads_test {

using namespace tsunagi;
using namespace tsunagi::router;
using scenarios::Pattern;
using scenarios::TrafficPattern;

namespace {

/// The plain count: every hop of every pair.
std::vector<std::int64_t> walked(const Routing& routing, const std::function<std::int64_t(int, int)>& weight) {
  const topo::Grid& g = routing.grid();
  std::vector<std::int64_t> out(static_cast<std::size_t>(g.routers() * g.ports()));
  for (int from = 0; from < g.terminals(); ++from)
    for (int to = 0; to < g.terminals(); ++to)
      if (const std::int64_t w = weight(from, to); w != 0)
        routing.walk(from, to, [&](int at, Hop hop) { out[static_cast<std::size_t>(at * g.ports() + hop.port)] += w; });
  return out;
}

std::int64_t most_sent(const topo::Grid& g, const std::function<std::int64_t(int, int)>& weight) {
  std::int64_t most = 0;
  for (int from = 0; from < g.terminals(); ++from) {
    std::int64_t sent = 0;
    for (int to = 0; to < g.terminals(); ++to) sent += weight(from, to);
    most = std::max(most, sent);
  }
  return most;
}

void expect_plain_count(const Routing& routing, const std::function<std::int64_t(int, int)>& weight) {
  const topo::Grid& g = routing.grid();
  const Loads loads(routing, weight);
  std::vector<std::int64_t> counted;
  for (int r = 0; r < g.routers(); ++r)
    for (int p = 0; p < g.ports(); ++p) counted.push_back(loads.of(r, p));
  REQUIRE(counted == walked(routing, weight));
  REQUIRE(loads.most_sent() == most_sent(g, weight));
}

/// Ring, mesh, torus or crossbar of up to some 100 terminals; a ring's and a torus' sizes even and odd.
std::shared_ptr<const topo::Grid> random_grid(stats::RandomStream& random) {
  const auto dimensions = static_cast<int>(random.below(5));  // none: a crossbar
  constexpr std::int64_t longest[] = {0, 40, 9, 5, 3};
  std::vector<int> sizes;
  for (int d = 0; d < dimensions; ++d)
    sizes.push_back(static_cast<int>(1 + random.below(longest[static_cast<std::size_t>(dimensions)])));
  const auto terminals = static_cast<int>(dimensions == 0 ? 1 + random.below(40) : 1 + random.below(3));
  return std::make_shared<const topo::Grid>(sizes, dimensions > 0 && random.below(3) > 0, terminals);
}

/// All patterns that so many ranks can have.
std::vector<TrafficPattern> patterns(int ranks, stats::RandomStream& random) {
  std::vector<TrafficPattern> out;
  const auto target = static_cast<int>(random.below(ranks));
  for (const Pattern p : {Pattern::uniform, Pattern::permutation, Pattern::transpose, Pattern::bit_complement,
                          Pattern::tornado, Pattern::neighbour, Pattern::hotspot, Pattern::incast}) {
    if (ranks == 1) break;
    try {
      out.emplace_back(scenarios::PatternChoice{p, {}, target, 250'000, 7}, ranks);
    } catch (const std::invalid_argument&) {  // ranks are no square, no power of two
    }
  }
  return out;
}

}  // namespace

TEST_CASE("loads of outputs are those of the plain count, hop by hop") {
  stats::RandomStream random(1, "grids");
  int compared = 0;
  for (int i = 0; i < 150; ++i) {
    const auto grid = random_grid(random);
    const auto virtual_channels = static_cast<int>(2 + random.below(3));
    const Routing routing(grid, virtual_channels, random.below(4) > 0);
    for (const TrafficPattern& pattern : patterns(grid->terminals(), random)) {
      expect_plain_count(routing, [&](int from, int to) { return pattern.weight(from, to); });
      ++compared;
    }
  }
  CHECK(compared > 600);
}

TEST_CASE("loads of outputs are those of the plain count for shares that have no symmetry, oneself included") {
  stats::RandomStream random(2, "grids");
  for (int i = 0; i < 60; ++i) {
    const auto grid = random_grid(random);
    std::vector<std::int64_t> weights;
    for (int n = grid->terminals() * grid->terminals(); n > 0; --n)
      weights.push_back(std::max<std::int64_t>(0, random.below(12) - 3));
    expect_plain_count(Routing(grid, 2, true), [&](int from, int to) {
      return weights[static_cast<std::size_t>(from * grid->terminals() + to)];
    });
  }
}

TEST_CASE("the work for loads does not grow with the length of paths: a ring of 1,024, a torus of 32x32") {
  for (const auto& sizes : {std::vector<int>{1024}, std::vector<int>{32, 32}}) {
    const auto grid = std::make_shared<const topo::Grid>(sizes, true, 1);
    std::int64_t asked = 0;
    const Loads loads(Routing(grid, 2, true), [&](int from, int to) {
      ++asked;
      return from == to ? 0 : 1;
    });
    CHECK(asked == 1024 * 1024);
    CHECK(loads.stretches() <= asked * grid->dimensions());
    // Half of all pairs cross a dimension's middle, k^2/8 on each wire of each of its lines, times the other sizes.
    const int k = sizes.front();
    for (int d = 0; d < grid->dimensions(); ++d)
      for (const bool up : {true, false})
        CHECK(loads.of(17, topo::Grid::port(d, up)) == std::int64_t{k} * k / 8 * (1024 / k));
  }
}

}  // namespace router_loads_test
