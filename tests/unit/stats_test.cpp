// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stats/evenness.hpp"
#include "stats/random.hpp"
#include "stats/samples.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace stats_test {

using namespace tsunagi;
using namespace tsunagi::stats;

TEST_CASE("quantiles are samples, by nearest rank") {
  std::vector<Time> s;
  for (int i = 1; i <= 10; ++i) s.push_back(Time::from_fs(i));
  CHECK(quantile(s, 500) == 5_fs);
  CHECK(quantile(s, 501) == 6_fs);
  CHECK(quantile(s, 990) == 10_fs);
  CHECK(quantile(s, 999) == 10_fs);
  CHECK(quantile({7_fs}, 500) == 7_fs);
  CHECK(mean(s) == 5_fs);
}

TEST_CASE("a confidence interval of known batches") {
  // Means 10, 12, 14 us: s = 2 us, s / sqrt 3 = 1.1547 us, times 4.303.
  const auto half = half_width_95({10_us, 12_us, 14_us});
  REQUIRE(half);
  CHECK(std::abs(static_cast<double>(half->fs()) - 2e9 / std::sqrt(3.0) * 4.303) < 10);
  CHECK(half_width_95({5_us, 5_us}) == 0_fs);
  CHECK(!half_width_95({5_us}));
}

TEST_CASE("a mean is above zero by Student's t of twenty samples") {
  // Ten samples 0 and ten 2 a: mean a, standard error a sqrt(20/19) / sqrt(20) = a / sqrt(19), t = 4.359 whatever a.
  std::vector<std::int64_t> samples(20);
  const auto above = [&] { return is_above_zero(samples.data(), samples.size()); };
  CHECK_FALSE(above());
  for (std::size_t i = 0; i < 20; i += 2) samples[i] = 1'000'000'000;
  CHECK(above());
  for (std::int64_t& s : samples) s = -s;
  CHECK_FALSE(above());
  // k ones: t^2 = 19 k / (20 - k), to exceed 3.579^2 = 12.81 from k = 8.05 on.
  for (const auto& [k, expected] : {std::pair(8, false), std::pair(9, true), std::pair(20, true)}) {
    for (std::size_t i = 0; i < 20; ++i) samples[i] = i < static_cast<std::size_t>(k) ? 1 : 0;
    CHECK(above() == expected);
  }
  CHECK_THROWS_AS(is_above_zero(samples.data(), 19), std::invalid_argument);
}

TEST_CASE("exponential draws have the mean, the spread and the tail of their distribution") {
  RandomStream r(1, "test");
  constexpr int n = 200'000;
  double sum = 0, squares = 0;
  int beyond = 0;
  for (int i = 0; i < n; ++i) {
    const double x = static_cast<double>(r.exponential(1_ns).fs()) / 1e6;
    sum += x;
    squares += x * x;
    beyond += x > 3 ? 1 : 0;
  }
  CHECK(std::abs(sum / n - 1) < 0.01);
  CHECK(std::abs(squares / n - 2) < 0.05);
  CHECK(std::abs(beyond / (n * std::exp(-3.0)) - 1) < 0.05);
}

TEST_CASE("bounded draws are uniform and chances are kept") {
  RandomStream r(1, "test");
  int seen[6] = {}, hits = 0;
  for (int i = 0; i < 60'000; ++i) {
    ++seen[r.below(6)];
    hits += r.chance(250'000) ? 1 : 0;
  }
  for (const int n : seen) CHECK(std::abs(n - 10'000) < 400);
  CHECK(std::abs(hits - 15'000) < 500);
}

TEST_CASE("streams of one name are equal, others are not") {
  RandomStream a(1, "x"), b(1, "x"), c(1, "y"), d(2, "x");
  const std::uint64_t first = a.bits();
  CHECK(first == b.bits());
  CHECK(first != c.bits());
  CHECK(first != d.bits());
}

TEST_CASE("Jain's index is one of equal rates and a share of those that have all") {
  CHECK(stats::jain_ppm({7}) == 1'000'000);
  CHECK(stats::jain_ppm({5, 5, 5}) == 1'000'000);
  CHECK(stats::jain_ppm({9, 0, 0, 0}) == 250'000);
  CHECK(stats::jain_ppm({0, 0}) == 0);
  CHECK(stats::jain_ppm({1, 2, 3}) == 857'142);  // 6^2 / (3 x 14)
  constexpr std::int64_t large = std::int64_t{1} << 62;
  CHECK(stats::jain_ppm({large, large / 2}) == 900'000);
}

}  // namespace stats_test
