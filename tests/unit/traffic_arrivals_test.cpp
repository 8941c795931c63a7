// SPDX-License-Identifier: Apache-2.0
// When a rank of scenario traffic posts.
#include <cmath>
#include <vector>

#include "scenarios/traffic/arrivals.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace traffic_arrivals_test {

using namespace tsunagi;
using namespace tsunagi::scenarios;

namespace {

/// In which slots of the first `slots` a message is posted.
std::vector<bool> posted(Arrivals kind, const ArrivalRate& rate, std::int64_t slots, std::uint64_t seed = 1) {
  stats::RandomStream random(seed, "test");
  ArrivalProcess process(kind, rate);
  std::vector<bool> out(static_cast<std::size_t>(slots) + 1);
  for (Time t = process.gap(random); t <= rate.slot * slots; t += process.gap(random)) {
    const auto slot = static_cast<std::size_t>(t / rate.slot);
    if (rate.slot * (t / rate.slot) != t || out[slot]) FAIL("two messages in a slot, or one between two");
    out[slot] = true;
  }
  return out;
}

double mean_load(const std::vector<bool>& slots) {
  return static_cast<double>(std::count(slots.begin(), slots.end(), true)) / static_cast<double>(slots.size() - 1);
}

/// Mean length of the runs of `value`; the last one may be cut off.
double mean_run(const std::vector<bool>& slots, bool value) {
  double runs = 0, all = 0;
  for (std::size_t i = 1; i < slots.size(); ++i) {
    if (slots[i] != value) continue;
    ++all;
    if (i == 1 || slots[i - 1] != value) ++runs;
  }
  return all / runs;
}

}  // namespace

TEST_CASE("bursts have the load and the lengths of the textbook's process of two states") {
  constexpr std::int64_t n = 4'000'000;
  struct Case {
    std::int64_t load, share, burst;
  };
  for (const auto& [load, share, burst] : {Case{300'000, 1'000'000, 8}, Case{50'000, 1'000'000, 20},
                                           Case{800'000, 250'000, 5}, Case{500'000, 1'000'000, 1}}) {
    INFO(load << " " << share << " " << burst);
    const std::vector<bool> slots = posted(Arrivals::bursts, {5_ns, load, share, burst}, n);
    const double p = static_cast<double>(load) * static_cast<double>(share) / 1e12;
    const auto b = static_cast<double>(burst);
    const double off = b * (1 - p) / p;
    // Of a chain of two states whose second eigenvalue is l = 1 - 1/on - 1/off, the number of visits has the variance
    // n p (1 - p) (1 + l) / (1 - l).
    const double l = 1 - 1 / b - 1 / off;
    CHECK(std::abs(mean_load(slots) - p) <= 4 * std::sqrt(p * (1 - p) * (1 + l) / (1 - l) / n) + 1.0 / n);
    // Runs are geometric: their standard deviation is less than their mean.
    const double runs = n * p / b;
    CHECK(std::abs(mean_run(slots, true) - b) <= 4 * b / std::sqrt(runs));
    CHECK(std::abs(mean_run(slots, false) - off) <= 4 * off / std::sqrt(runs));
  }
}

TEST_CASE("messages of bursts in a window vary as the textbook's process of two states says") {
  constexpr std::int64_t window = 2'000, windows = 4'000;
  const double p = 0.2, b = 10, off = b * (1 - p) / p, l = 1 - 1 / b - 1 / off;
  const std::vector<bool> slots = posted(Arrivals::bursts, {1_ns, 200'000, 1'000'000, 10}, window * windows);
  double squares = 0;
  for (std::int64_t w = 0; w < windows; ++w) {
    const auto first = slots.begin() + 1 + w * window;
    const double d = static_cast<double>(std::count(first, first + window, true)) - p * window;
    squares += d * d;
  }
  // The sum over all pairs of slots: l^distance falls off within the window.
  const double variance =
      p * (1 - p) * (window * (1 + l) / (1 - l) - 2 * l * (1 - std::pow(l, window)) / std::pow(1 - l, 2));
  // A sample variance of m values has a relative deviation of sqrt(2 / m).
  CHECK(std::abs(squares / windows / variance - 1) < 4 * std::sqrt(2.0 / windows));
}

TEST_CASE("bursts begin in either state as often as they are in it") {
  int on = 0;
  constexpr int n = 20'000;
  for (int seed = 0; seed < n; ++seed)
    on += posted(Arrivals::bursts, {1_ns, 250'000, 1'000'000, 50}, 1, static_cast<std::uint64_t>(seed))[1] ? 1 : 0;
  CHECK(std::abs(on - 0.25 * n) < 4 * std::sqrt(n * 0.25 * 0.75));
}

TEST_CASE("bursts offer so much that gaps of a slot are left") {
  CHECK(ArrivalProcess::most_of_bursts(1) == 500'000);
  CHECK(ArrivalProcess::most_of_bursts(2) == 666'666);
  const std::vector<bool> slots = posted(Arrivals::bursts, {1_ns, 750'000, 1'000'000, 3}, 10'000);
  CHECK(mean_run(slots, false) == 1.0);
}

TEST_CASE("a rank of half the rate posts half as often") {
  const ArrivalRate whole{5_ns, 400'000, 1'000'000, 1};
  const ArrivalRate half{5_ns, 400'000, 500'000, 1};
  CHECK(whole.mean_gap() == 12'500'000);
  CHECK(half.mean_gap() == 25'000'000);
  constexpr std::int64_t n = 1'000'000;
  for (const auto& [rate, p] : {std::pair(whole, 0.4), std::pair(half, 0.2)}) {
    CHECK(std::abs(mean_load(posted(Arrivals::bernoulli, rate, n)) - p) < 4 * std::sqrt(p * (1 - p) / n));
    stats::RandomStream random(1, "test");
    ArrivalProcess poisson(Arrivals::exponential, rate);
    Time sum;
    for (int i = 0; i < 100'000; ++i) sum += poisson.gap(random);
    CHECK(std::abs(static_cast<double>(sum.fs()) / 1e5 / (5e6 / p) - 1) < 4 / std::sqrt(1e5));
  }
}

}  // namespace traffic_arrivals_test
