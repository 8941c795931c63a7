// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "stats/random.hpp"
#include "support/catch.hpp"
#include "support/topo/networks.hpp"
#include "topo/routes/cuts.hpp"

namespace topo_cuts_test {

using namespace tsunagi;
using namespace tsunagi::test;
using topo::Cut;

namespace {

/// The least capacity a passing weight, in thousandths.
std::int64_t narrowest(const topo::Network& n, const topo::Weight& weight) {
  std::int64_t least = std::int64_t{1} << 60;
  topo::for_cuts(
      n, weight, [](int, int) { return 1; },
      [&](const Cut& c) { least = std::min(least, 1000 * c.capacity / c.passing); });
  return least;
}

}  // namespace

TEST_CASE("cuts are those of all runs of routers, in both directions") {
  stats::RandomStream random(1, "cuts");
  const SharedNetwork n = grid_network({3, 2}, true, 2);
  std::map<std::pair<int, int>, std::int64_t> weights;
  for (int a = 0; a < 12; ++a)
    for (int b = 0; b < 12; ++b) weights[{a, b}] = a == b ? 0 : random.below(5);
  const auto capacity = [](int r, int p) { return std::int64_t{100} * r + p + 1; };
  std::vector<std::pair<std::int64_t, std::int64_t>> expected;
  for (int first = 0; first < 6; ++first)
    for (int end = first + 1; end <= 6; ++end) {
      const auto inside = [&](int r) { return r >= first && r < end; };
      for (const bool out : {true, false}) {
        std::int64_t passing = 0, room = 0;
        for (const auto& [pair, w] : weights)
          if (inside(pair.first / 2) == out && inside(pair.second / 2) != out) passing += w;
        for (int r = 0; r < 6; ++r)
          for (int p = 0; p < 4; ++p)
            if (const int to = n->peer(r, p).number;
                n->peer(r, p).kind == topo::Network::Peer::Kind::router && inside(r) == out && inside(to) != out)
              room += capacity(r, p);
        if (passing > 0) expected.emplace_back(passing, room);
      }
    }
  std::vector<std::pair<std::int64_t, std::int64_t>> got;
  topo::for_cuts(
      *n,
      [&](int a, int b) {
        return weights[{a, b}];
      },
      capacity, [&](const Cut& c) { got.emplace_back(c.passing, c.capacity); });
  CHECK(got == expected);
}

TEST_CASE("half of a ring of 16 passes uniform traffic by two cables a direction") {
  // 8 x 8 pairs out of a half over two cables.
  CHECK(narrowest(*grid_network({16}, true), [](int a, int b) { return a == b ? 0 : 1; }) == 1000 * 2 / 64);
  CHECK(narrowest(*grid_network({4, 4}, true), [](int a, int b) { return a == b ? 0 : 1; }) == 1000 * 8 / 64);
  CHECK(narrowest(*grid_network({4, 4}, false), [](int a, int b) { return a == b ? 0 : 1; }) == 1000 * 4 / 64);
}

}  // namespace topo_cuts_test
