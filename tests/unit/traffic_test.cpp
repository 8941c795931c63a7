// SPDX-License-Identifier: Apache-2.0
// The pure parts of scenario traffic: patterns, loads, what a window measures.
#include <set>

#include "scenarios/offered_load.hpp"
#include "scenarios/traffic_pattern.hpp"
#include "scenarios/traffic_window.hpp"
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
  return {p, std::move(grid), target, 100'000, 1};
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

TEST_CASE("weights of a pattern are what it draws") {
  for (const Pattern pattern : {Pattern::uniform, Pattern::hotspot}) {
    const TrafficPattern p(choice(pattern, {}, 3), 8);
    stats::RandomStream random(1, "test");
    constexpr int n = 80'000;
    for (const int from : {0, 3}) {
      std::vector<int> seen(8);
      std::int64_t sum = 0;
      for (int i = 0; i < n; ++i) ++seen[static_cast<std::size_t>(p.destination(from, random))];
      for (int to = 0; to < 8; ++to) {
        sum += p.weight(from, to);
        const double expected = static_cast<double>(p.weight(from, to)) / static_cast<double>(p.whole()) * n;
        CHECK(std::abs(seen[static_cast<std::size_t>(to)] - expected) < 500);
      }
      CHECK(sum == p.whole());
    }
  }
}

TEST_CASE("patterns that do not fit the ranks are refused") {
  CHECK_THROWS_AS(TrafficPattern(choice(Pattern::transpose), 8), std::invalid_argument);
  CHECK_THROWS_AS(TrafficPattern(choice(Pattern::bit_complement), 6), std::invalid_argument);
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
  for (const char* bad : {"", "30", "30%", "0 %", ".5 %", "1. %", "1.23456 %", "-3 %", "x %", "infinite", "3 GB"})
    CHECK(!load_error(bad).empty());
}

TEST_CASE("a window counts what was posted and what was delivered in it") {
  TrafficWindow w;
  w.open(100_ns, 200_ns);
  w.posted(99_ns, 64_B);
  w.posted(100_ns, 64_B);
  w.posted(199_ns, 64_B);
  w.posted(200_ns, 64_B);
  w.delivered(99_ns, 110_ns, 64_B);   // counts as accepted only
  w.delivered(100_ns, 130_ns, 64_B);  // as both
  w.delivered(199_ns, 249_ns, 64_B);  // as latency only
  report::Row row;
  w.report(row);
  CHECK(std::get<Bytes>(*row.find("offered")) == 128_B);
  CHECK(std::get<Bytes>(*row.find("accepted")) == 128_B);
  CHECK(std::get<std::int64_t>(*row.find("messages")) == 2);
  CHECK(std::get<Time>(*row.find("mean")) == 40_ns);
  CHECK(std::get<Time>(*row.find("p99")) == 50_ns);
  CHECK(std::get<std::string>(*row.find("saturated")) == "no");
}

}  // namespace traffic_test
