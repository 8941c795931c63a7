// SPDX-License-Identifier: Apache-2.0
// The pure parts of scenarios of two-sided messages: grids, partners, evenness, what must lie where.
#include <algorithm>
#include <set>

#include "scenarios/collectives/collective_data.hpp"
#include "scenarios/process_grid.hpp"
#include "scenarios/traffic/partners.hpp"
#include "stats/evenness.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace scenario_parts_test {

using namespace tsunagi;
using namespace tsunagi::scenarios;
using comm::Buffer;
using comm::Collective;
using comm::CollectiveCall;
using comm::Ledger;

TEST_CASE("neighbours in a grid whose first dimension runs fastest") {
  const ProcessGrid g({4, 3, 2}, {}, 24);
  CHECK(g.neighbour(0, 0, 1) == 1);
  CHECK(g.neighbour(0, 0, -1) == 3);
  CHECK(g.neighbour(0, 1, 1) == 4);
  CHECK(g.neighbour(0, 1, -1) == 8);
  CHECK(g.neighbour(0, 2, 1) == 12);
  CHECK(g.neighbour(0, 2, -1) == 12);  // of two both are the same
  CHECK(g.neighbour(23, 0, 1) == 20);
  for (int d = 0; d < 3; ++d)
    for (int r = 0; r < 24; ++r) CHECK(g.neighbour(*g.neighbour(r, d, 1), d, -1) == r);
}

TEST_CASE("a dimension of one is its own neighbour unless it is open") {
  const ProcessGrid g({3, 1, 1}, {0, 2}, 3);
  CHECK(g.neighbour(1, 1, 1) == 1);
  CHECK(!g.neighbour(1, 2, 1));
  CHECK(!g.neighbour(0, 0, -1));
  CHECK(!g.neighbour(2, 0, 1));
  CHECK(g.neighbour(2, 0, -1) == 1);
}

TEST_CASE("grids that do not fit the ranks say what they are") {
  CHECK_THROWS_WITH(ProcessGrid({4, 2}, {}, 16), "grid [4, 2] has 8 places for 16 ranks");
  CHECK_THROWS_WITH(ProcessGrid({4, 2}, {2}, 8), Catch::Contains("no dimension 2 to be open"));
}

TEST_CASE("an even grid has the shortest longest side, then the next one") {
  using Sizes = std::vector<std::int64_t>;
  CHECK(even_grid(1, 3) == Sizes{1, 1, 1});
  CHECK(even_grid(7, 2) == Sizes{7, 1});
  CHECK(even_grid(12, 2) == Sizes{4, 3});
  CHECK(even_grid(16, 3) == Sizes{4, 2, 2});
  CHECK(even_grid(36, 3) == Sizes{4, 3, 3});
  CHECK(even_grid(24, 1) == Sizes{24});
  CHECK(even_grid(1'000'000, 4) == Sizes{40, 40, 25, 25});
}

TEST_CASE("a grid that nobody gave is the machine's box, or even") {
  using Sizes = std::vector<std::int64_t>;
  CHECK(grid_of({4, 4}, 16, 16, 0, 4) == Sizes{4, 4});
  CHECK(grid_of({8, 2}, 16, 16, 2, 4) == Sizes{8, 2});
  CHECK(grid_of({8, 2}, 16, 16, 3, 4) == Sizes{4, 2, 2});        // as many dimensions as there are faces
  CHECK(grid_of({8, 2}, 8, 16, 0, 4) == Sizes{4, 2});            // the first ranks lie in no box
  CHECK(grid_of({4, 2}, 24, 24, 0, 4) == Sizes{12, 2});          // three ranks a router
  CHECK(grid_of({4, 3}, 16, 16, 0, 4) == Sizes{4, 4});           // not equally many a router
  CHECK(grid_of({2, 2, 2, 2, 2}, 32, 32, 0, 4) == Sizes{8, 4});  // more dimensions than there may be
  CHECK(grid_of({}, 12, 12, 0, 4) == Sizes{4, 3});
  CHECK(grid_of({}, 12, 12, 3, 4) == Sizes{3, 2, 2});
  CHECK(box_of({}, 12).empty());
  CHECK(box_of({5}, 12).empty());
  CHECK(grid_text({4, 4, 2}) == "4x4x2");
}

TEST_CASE("a matching pairs all ranks but one of an odd number") {
  for (const int n : {2, 7, 16}) {
    stats::RandomStream random(1, "test");
    const std::vector<Partners> all = draw_partners(Pairing::matching, n, random);
    int alone = 0;
    for (int i = 0; i < n; ++i) {
      const Partners p = all[static_cast<std::size_t>(i)];
      CHECK(p.to == p.from);
      CHECK(p.to != i);
      if (p.to < 0)
        ++alone;
      else
        CHECK(all[static_cast<std::size_t>(p.to)].to == i);
    }
    CHECK(alone == n % 2);
  }
}

TEST_CASE("in a permutation all send to one and get from another one") {
  stats::RandomStream random(1, "test");
  const std::vector<Partners> all = draw_partners(Pairing::permutation, 16, random);
  std::set<int> to;
  for (int i = 0; i < 16; ++i) {
    const Partners p = all[static_cast<std::size_t>(i)];
    CHECK(p.to != i);
    CHECK(all[static_cast<std::size_t>(p.to)].from == i);
    to.insert(p.to);
  }
  CHECK(to.size() == 16);
}

TEST_CASE("evenness of equal rates is 1 and of one that has all 1/n") {
  const stats::Evenness alike = stats::evenness({100_ns, 100_ns, 100_ns});
  CHECK(alike.slowest == 100_ns);
  CHECK(alike.mean == 100_ns);
  CHECK(alike.jain_ppm == 1'000'000);
  CHECK(stats::evenness({1_fs, 1000_s, 1000_s, 1000_s}).jain_ppm == 250'000);
  // Rates of 3 and 1: (3 + 1)^2 / (2 (9 + 1)) = 0.8; their mean is 2, that of 3 and 1 in 150 ns.
  const stats::Evenness uneven = stats::evenness({300_ns, 100_ns});
  CHECK(uneven.slowest == 300_ns);
  CHECK(uneven.jain_ppm >= 799'999);
  CHECK(uneven.jain_ppm <= 800'000);
  CHECK(std::abs((uneven.mean - 150_ns).fs()) <= 1);
}

namespace {

const Buffer in{0_B, 64_B, {}, {}};
constexpr int ranks = 4;

}  // namespace

TEST_CASE("a broadcast that did not come is told with rank and bytes") {
  Ledger l;
  const CollectiveCall c{Collective::broadcast, 1, in, in};
  for (int i = 0; i < ranks; ++i) fill(l, i, c);
  CHECK_NOTHROW(expect_done(l, 1, ranks, c));
  l.write(2, in, l.read(1, in));
  CHECK_NOTHROW(expect_done(l, 2, ranks, c));
  l.fill(2, comm::part(in, 16_B, 8_B), "rubbish");
  CHECK_THROWS_WITH(expect_done(l, 2, ranks, c),
                    Catch::Contains("broadcast: rank 2 should have 1[0, 64)") && Catch::Contains("rubbish[0, 8)"));
  CHECK_THROWS_WITH(expect_done(l, 3, ranks, c), Catch::Contains("what was there before"));
}

TEST_CASE("a reduction is of each rank once in whatever order") {
  Ledger l;
  const Buffer out{64_B, 64_B, {}, {}};
  const CollectiveCall c{Collective::allreduce, 0, in, out};
  for (int i = 0; i < ranks; ++i) fill(l, i, c);
  const auto ends_with = [&](const std::vector<int>& order) {
    l.write(0, out, l.read(order.front(), in));
    for (std::size_t i = 1; i < order.size(); ++i) l.combine(0, out, l.read(0, out), l.read(order[i], in));
    expect_done(l, 0, ranks, c);
  };
  CHECK_NOTHROW(ends_with({0, 1, 2, 3}));
  CHECK_NOTHROW(ends_with({2, 0, 3, 1}));
  CHECK_THROWS_WITH(ends_with({0, 1, 2}), Catch::Contains("rank 0 should have the sum of 4 ranks from byte 0 on"));
  CHECK_THROWS(ends_with({0, 1, 2, 2}));
  CHECK_THROWS(ends_with({0, 1, 2, 3, 3}));
  CHECK_THROWS_WITH(expect_done(l, 1, ranks, c), Catch::Contains("rank 1 should have the sum"));
}

TEST_CASE("blocks of an all-to-all are the sender's for the receiver") {
  Ledger l;
  const Buffer out{64_B, 64_B, {}, {}};
  const CollectiveCall c{Collective::all_to_all, 0, in, out};
  for (int i = 0; i < ranks; ++i) fill(l, i, c);
  for (int i = 0; i < ranks; ++i) l.write(3, comm::part(out, 16_B * i, 16_B), l.read(i, comm::part(in, 48_B, 16_B)));
  CHECK_NOTHROW(expect_done(l, 3, ranks, c));
  l.write(3, comm::part(out, 16_B, 16_B), l.read(1, comm::part(in, 32_B, 16_B)));  // another one's
  CHECK_THROWS_WITH(expect_done(l, 3, ranks, c), Catch::Contains("rank 3 should have 1[48, 64)"));
}

}  // namespace scenario_parts_test
