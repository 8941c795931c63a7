// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "scenarios/traffic/traffic_pattern.hpp"
#include "support/catch.hpp"
#include "support/topo/networks.hpp"
#include "topo/grid.hpp"
#include "topo/routes/grid_loads.hpp"
#include "topo/routes/loads.hpp"

namespace topo_loads_test {

using namespace tsunagi;
using namespace tsunagi::topo;
using namespace tsunagi::test;
using scenarios::Pattern;
using scenarios::TrafficPattern;

namespace {

/// What passes each port, hop by hop, of every pair.
void expect_plain_count(const Network& n, const std::function<std::int64_t(int, int)>& weight) {
  std::vector<std::int64_t> expected(n.all_ports());
  std::int64_t most = 0;
  for (int from = 0; from < n.terminals(); ++from) {
    std::int64_t sent = 0;
    for (int to = 0; to < n.terminals(); ++to) {
      const std::int64_t w = weight(from, to);
      sent += w;
      if (w != 0) n.walk(from, to, [&](int at, Hop hop) { expected[n.port_index(at, hop.port)] += w; });
    }
    most = std::max(most, sent);
  }
  const Loads loads(n, weight);
  std::vector<std::int64_t> counted;
  for (int r = 0; r < n.routers(); ++r)
    for (int p = 0; p < n.ports(r); ++p) counted.push_back(loads.of(r, p));
  REQUIRE(counted == expected);
  REQUIRE(loads.most_sent() == most);
}

/// Ring, mesh, torus or crossbar of up to some 100 terminals; a ring's and a torus' sizes even and odd.
SharedNetwork random_grid(stats::RandomStream& random) {
  const auto dimensions = static_cast<int>(random.below(5));  // none: a crossbar
  constexpr std::int64_t longest[] = {0, 40, 9, 5, 3};
  std::vector<int> sizes;
  for (int d = 0; d < dimensions; ++d)
    sizes.push_back(static_cast<int>(1 + random.below(longest[static_cast<std::size_t>(dimensions)])));
  const auto terminals = static_cast<int>(dimensions == 0 ? 1 + random.below(40) : 1 + random.below(3));
  return grid_network(sizes, dimensions > 0 && random.below(3) > 0, terminals);
}

/// All patterns that so many ranks can have.
std::vector<TrafficPattern> patterns(int ranks, stats::RandomStream& random) {
  std::vector<TrafficPattern> out;
  const auto target = static_cast<int>(random.below(ranks));
  for (const Pattern p : {Pattern::uniform, Pattern::permutation, Pattern::transpose, Pattern::bit_complement,
                          Pattern::bit_reverse, Pattern::shuffle, Pattern::shift, Pattern::tornado, Pattern::neighbour,
                          Pattern::nearest_neighbour, Pattern::hotspot, Pattern::incast}) {
    if (ranks == 1) break;
    try {
      scenarios::PatternChoice choice;
      choice.pattern = p;
      choice.target = target;
      choice.share = 250'000;
      choice.distance = 3;
      choice.seed = 7;
      out.emplace_back(choice, ranks);
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
    for (const TrafficPattern& pattern : patterns(grid->terminals(), random)) {
      expect_plain_count(*grid, [&](int from, int to) { return pattern.weight(from, to); });
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
    expect_plain_count(
        *grid, [&](int from, int to) { return weights[static_cast<std::size_t>(from * grid->terminals() + to)]; });
  }
}

TEST_CASE("the work for loads does not grow with the length of paths: a ring of 1,024, a torus of 32x32") {
  for (const auto& sizes : {std::vector<int>{1024}, std::vector<int>{32, 32}}) {
    const Grid grid(sizes, true, 1);
    std::int64_t asked = 0;
    const GridLoads loads(grid, [&](int from, int to) {
      ++asked;
      return from == to ? 0 : 1;
    });
    CHECK(asked == 1024 * 1024);
    CHECK(loads.stretches() <= asked * grid.dimensions());
    // Half of all pairs cross a dimension's middle, k^2/8 on each wire of each of its lines, times the other sizes.
    const int k = sizes.front();
    for (int d = 0; d < grid.dimensions(); ++d)
      for (const bool up : {true, false})
        CHECK(loads.passing()[static_cast<std::size_t>(17 * grid.ports() + Grid::port(d, up))] ==
              std::int64_t{k} * k / 8 * (1024 / k));
  }
}

}  // namespace topo_loads_test
