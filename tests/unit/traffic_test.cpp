// SPDX-License-Identifier: Apache-2.0
// The pure parts of scenario traffic: patterns and loads.
#include <cmath>
#include <numeric>
#include <set>

#include "config/message.hpp"
#include "scenarios/traffic/offered_load.hpp"
#include "scenarios/traffic/traffic_pattern.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace traffic_test {

using namespace tsunagi;
using namespace tsunagi::scenarios;

namespace {

std::vector<int> destinations(const PatternChoice& c, int ranks) {
  const TrafficPattern p(c, ranks);
  stats::RandomStream random(1, "test");
  std::vector<int> out;
  for (int r = 0; r < ranks; ++r) out.push_back(p.sends(r) ? p.destination(r, random) : -1);
  return out;
}

PatternChoice choice(Pattern p, std::vector<std::int64_t> grid = {}, int target = 0) {
  PatternChoice c;
  c.pattern = p;
  c.grid = std::move(grid);
  c.target = target;
  c.share = 100'000;
  return c;
}

PatternChoice shift_by(int distance) {
  PatternChoice c = choice(Pattern::shift);
  c.distance = distance;
  return c;
}

PatternChoice nearest(std::vector<std::int64_t> grid, std::vector<std::int64_t> open = {}) {
  PatternChoice c = choice(Pattern::nearest_neighbour, std::move(grid));
  c.open = std::move(open);
  return c;
}

PatternChoice weighted(std::vector<std::string> rows) {
  PatternChoice c = choice(Pattern::matrix);
  c.matrix = std::move(rows);
  return c;
}

PatternChoice rated(Pattern p, std::vector<std::int64_t> rates) {
  PatternChoice c = choice(p);
  c.rates = std::move(rates);
  return c;
}

/// The weights of one sender.
std::vector<std::int64_t> weights(const TrafficPattern& p, int from, int ranks) {
  std::vector<std::int64_t> out;
  for (int to = 0; to < ranks; ++to) out.push_back(p.weight(from, to));
  return out;
}

/// Weights add up to what the sender offers, and it draws by them: no destination is off by more than five standard
/// deviations.
void expect_draws_by_weight(const PatternChoice& c, int ranks) {
  const TrafficPattern p(c, ranks);
  stats::RandomStream random(1, "test");
  constexpr int n = 40'000;
  for (int from = 0; from < ranks; ++from) {
    const std::vector<std::int64_t> w = weights(p, from, ranks);
    const std::int64_t sum = std::accumulate(w.begin(), w.end(), std::int64_t{0});
    INFO("rank " << from);
    CHECK(std::abs(static_cast<double>(sum) / static_cast<double>(p.whole()) * 1e6 -
                   static_cast<double>(p.share(from))) <= 0.5);
    CHECK(p.sends(from) == (sum > 0));
    if (!p.sends(from)) continue;
    std::vector<int> seen(w.size());
    for (int i = 0; i < n; ++i) ++seen[static_cast<std::size_t>(p.destination(from, random))];
    for (std::size_t to = 0; to < w.size(); ++to) {
      const double share = static_cast<double>(w[to]) / static_cast<double>(sum);
      CHECK(std::abs(seen[to] - share * n) <= 5 * std::sqrt(n * share * (1 - share)));
    }
  }
}

}  // namespace

TEST_CASE("fixed patterns send where the book says") {
  CHECK(destinations(choice(Pattern::transpose), 9) == std::vector<int>{-1, 3, 6, 1, -1, 7, 2, 5, -1});
  CHECK(destinations(choice(Pattern::bit_complement), 4) == std::vector<int>{3, 2, 1, 0});
  CHECK(destinations(choice(Pattern::tornado), 5) == std::vector<int>{2, 3, 4, 0, 1});
  CHECK(destinations(choice(Pattern::tornado, {4, 2}), 8) == std::vector<int>{1, 2, 3, 0, 5, 6, 7, 4});
  CHECK(destinations(choice(Pattern::neighbour), 3) == std::vector<int>{1, 2, 0});
  CHECK(destinations(choice(Pattern::neighbour, {2, 2}), 4) == std::vector<int>{3, 2, 1, 0});
  CHECK(destinations(choice(Pattern::incast, {}, 2), 4) == std::vector<int>{2, 2, -1, 2});
}

TEST_CASE("a random permutation has no fixed points and depends on the seed") {
  PatternChoice c = choice(Pattern::permutation);
  const std::vector<int> first = destinations(c, 64);
  CHECK(std::set<int>(first.begin(), first.end()).size() == 64);
  CHECK(std::set<int>(first.begin(), first.end()).count(-1) == 0);
  c.seed = 2;
  CHECK(destinations(c, 64) != first);
}

TEST_CASE("patterns of bits send where the book says") {
  // d_i = s_(b-i-1) and d_i = s_(i-1 mod b), of four bits (Dally and Towles, table 3.1)
  const std::vector<int> reversed = destinations(choice(Pattern::bit_reverse), 16);
  const std::vector<int> shuffled = destinations(choice(Pattern::shuffle), 16);
  const auto bit = [](int rank, int i) { return rank >> i & 1; };
  for (int s = 0; s < 16; ++s) {
    int reverse = 0, shuffle = 0;
    for (int i = 0; i < 4; ++i) {
      reverse |= bit(s, 4 - i - 1) << i;
      shuffle |= bit(s, (i + 3) % 4) << i;
    }
    CHECK(reversed[static_cast<std::size_t>(s)] == (reverse == s ? -1 : reverse));
    CHECK(shuffled[static_cast<std::size_t>(s)] == (shuffle == s ? -1 : shuffle));
  }
  CHECK(destinations(choice(Pattern::shuffle), 8) == std::vector<int>{-1, 2, 4, 6, 1, 3, 5, -1});
}

TEST_CASE("a shift goes round the end") {
  CHECK(destinations(shift_by(1), 4) == std::vector<int>{1, 2, 3, 0});
  CHECK(destinations(shift_by(3), 5) == std::vector<int>{3, 4, 0, 1, 2});
  CHECK(destinations(shift_by(1'000'000'000), 7) == destinations(shift_by(1'000'000'000 % 7), 7));
}

TEST_CASE("nearest neighbours are two a dimension and fewer at open ends") {
  const TrafficPattern torus(nearest({4, 3}), 12);
  CHECK(torus.whole() == 4);
  CHECK(weights(torus, 5, 12) == std::vector<std::int64_t>{0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0});
  const TrafficPattern mesh(nearest({4, 3}, {0, 1}), 12);
  CHECK(mesh.whole() == 12);  // of 2, 3 and 4 neighbours
  CHECK(weights(mesh, 0, 12) == std::vector<std::int64_t>{0, 6, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0});
  CHECK(weights(mesh, 4, 12) == std::vector<std::int64_t>{4, 0, 0, 0, 0, 4, 0, 0, 4, 0, 0, 0});
  CHECK(mesh.share(0) == 1'000'000);
  // Up and down are the same rank in a ring of two, and the rank itself in one of one.
  CHECK(weights(TrafficPattern(nearest({3, 2, 1}), 6), 0, 6) == std::vector<std::int64_t>{0, 1, 1, 2, 0, 0});
}

TEST_CASE("a matrix says who sends to whom and how much") {
  const TrafficPattern p(weighted({"0 1.5 0.25 0", " 0 0\t0 0 ", "1 0 0 3.000", "1 0 0 0"}), 4);
  CHECK(p.whole() == 400);  // hundredths
  CHECK(weights(p, 0, 4) == std::vector<std::int64_t>{0, 150, 25, 0});
  CHECK(weights(p, 2, 4) == std::vector<std::int64_t>{100, 0, 0, 300});
  CHECK(p.share(0) == 437'500);
  CHECK_FALSE(p.sends(1));
  CHECK(p.share(2) == 1'000'000);
  CHECK(p.share(3) == 250'000);
}

TEST_CASE("weights of a pattern are what it draws") {
  for (const Pattern pattern : {Pattern::uniform, Pattern::hotspot, Pattern::tornado, Pattern::incast})
    expect_draws_by_weight(choice(pattern, {}, 3), 8);
  expect_draws_by_weight(nearest({4, 2}, {0}), 8);
  expect_draws_by_weight(weighted({"0 1.5 0.5 0", "0 0 0 0", "1 0 0 3.000", "0 0.75 0 0"}), 4);
  expect_draws_by_weight(rated(Pattern::uniform, {3, 1, 0, 2}), 8);
  expect_draws_by_weight(rated(Pattern::incast, {7, 2}), 4);
}

TEST_CASE("the largest of the rates offers the load") {
  const TrafficPattern p(rated(Pattern::uniform, {50, 0, 25}), 6);
  CHECK(p.share(0) == 1'000'000);
  CHECK(p.share(4) == 0);
  CHECK_FALSE(p.sends(4));
  CHECK(p.share(5) == 500'000);
  CHECK(p.least_share() == 500'000);
  CHECK(p.whole() == 5 * 50);
  // Rank 0 sends nothing, so its rate does not count.
  PatternChoice incast = rated(Pattern::incast, {9, 3, 1});
  const TrafficPattern q(incast, 3);
  CHECK_FALSE(q.sends(0));
  CHECK(q.share(1) == 1'000'000);
  CHECK(q.share(2) == 333'333);
}

TEST_CASE("rates and matrices that do not fit are refused with their place") {
  const auto why = [](const PatternChoice& c) -> std::string {
    try {
      TrafficPattern(c, 4);
    } catch (const config::ConfigError& e) {
      return e.messages().front().pointer + ": " + e.messages().front().text;
    }
    return "";
  };
  CHECK(why(rated(Pattern::uniform, {1, 2, 3})) ==
        "/scenario/rates: 3 rates for 4 ranks: they are repeated, but not so often that it comes out even");
  CHECK(why(rated(Pattern::uniform, {1, 1, 1, 1, 1, 1, 1, 1})).find("/scenario/rates: 8 rates") == 0);
  CHECK(why(rated(Pattern::incast, {1, 0, 0, 0})) ==
        "/scenario/rates: nobody would send: the rates of all that could are 0");
  const std::string none = "0 0 0 0";
  CHECK(why(weighted({none, none})) == "/scenario/matrix: has 2 rows for 4 ranks");
  CHECK(why(weighted({none, none, none, none})) == "/scenario/matrix: nobody would send: all weights are 0");
  CHECK(why(weighted({none, "1 0 2", none, none})) == "/scenario/matrix/1: has 3 numbers for 4 ranks");
  CHECK(why(weighted({"", none, none, none})) == "/scenario/matrix/0: has 0 numbers for 4 ranks");
  CHECK(why(weighted({none, none, "1 0 2 0", none})) ==
        "/scenario/matrix/2: rank 2 would send to itself: its own weight is to be 0");
  for (const char* word : {"-1", "x", ".5", "1.", "1e3", "0.0000001", "1234567890123456", "1,5", "+1"})
    CHECK(why(weighted({none, none, none, "1 " + std::string(word) + " 2 0"}))
              .find("/scenario/matrix/3: \"" + std::string(word)) == 0);
  CHECK(why(weighted({"0 10.0 0 0", none, none, "000001 0 0.000000000 0"})).empty());
  CHECK(why(weighted({"0 1000001 0 0", none, none, "1 0 0 0"})).find("/scenario/matrix/3: the weights' sum is less") ==
        0);
  CHECK(why(weighted({"0 1000000 0 0", none, none, "1 0 0 0"})).empty());  // a millionth itself is offered
  CHECK(why(weighted({"0 999999999999999 0 0.000001", none, none, none})).find("/scenario/matrix/0: the weights") == 0);
}

TEST_CASE("patterns that do not fit the ranks are refused") {
  CHECK_THROWS_AS(TrafficPattern(choice(Pattern::transpose), 8), std::invalid_argument);
  for (const Pattern p : {Pattern::bit_complement, Pattern::bit_reverse, Pattern::shuffle})
    CHECK_THROWS_AS(TrafficPattern(choice(p), 6), std::invalid_argument);
  CHECK_THROWS_AS(TrafficPattern(shift_by(8), 8), std::invalid_argument);  // to itself
  CHECK_THROWS_AS(TrafficPattern(nearest({4}, {1}), 4), std::invalid_argument);
  CHECK_THROWS_AS(TrafficPattern(choice(Pattern::tornado, {3, 3}), 8), std::invalid_argument);
  CHECK_THROWS_AS(TrafficPattern(choice(Pattern::incast, {}, 8), 8), std::invalid_argument);
  CHECK_THROWS_AS(TrafficPattern(choice(Pattern::tornado), 2), std::invalid_argument);  // to itself
}

TEST_CASE("a load is a share or a rate") {
  const Rate full = Rate::bytes_per_second(12'800'000'000);
  CHECK(parse_load("30 %").of(full) == 300'000);
  CHECK(parse_load("0.25 %").of(full) == 2'500);
  CHECK(parse_load("0.0001 %").of(full) == 1);
  CHECK(parse_load("100 %").of(full) == 1'000'000);
  CHECK(parse_load("3.2 GB/s").of(full) == 250'000);
  CHECK(parse_load("25.6 Gbps").of(full) == 250'000);
  CHECK(parse_load("30%").of(full) == 300'000);
  CHECK(parse_load("3.69125 %").of(full) == 36'913);  // 36,912.5
  CHECK(parse_load("3.6912499999999999999999999 %").of(full) == 36'912);
  CHECK(parse_load("0.00005 %").of(full) == 1);
  CHECK(parse_load("99.99995 %").of(full) == 1'000'000);
  CHECK(parse_load("12.50000000 %").of(full) == 125'000);
  for (const char* bad : {"", "30", "0 %", ".5 %", "1. %", "1.2.3 %", "0.00004 %", "100001 %", "1e2 %", " 30 %", "%",
                          " %", "-3 %", "x %", "infinite", "3 GB"})
    CHECK(!load_error(bad).empty());
}

}  // namespace traffic_test
