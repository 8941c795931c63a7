// SPDX-License-Identifier: Apache-2.0
// Keys of NPB IS and operations of NPB FT, against the benchmarks' own numbers.
#include <algorithm>
#include <cmath>
#include <ctime>
#include <memory>
#include <numeric>

#include "scenarios/npb/ft_class.hpp"
#include "scenarios/npb/is_walk.hpp"
#include "support/catch.hpp"

namespace npb_parts_test {

using namespace tsunagi;
using namespace tsunagi::scenarios;

namespace {

constexpr IsClass class_s{16, 11, 9};
constexpr IsClass class_a{23, 19, 10};
constexpr IsClass class_b{25, 21, 10};

/// x times 5^13 modulo 2^46 in doubles: both factors in halves of 23 bits, whose products a double holds exactly.
double in_doubles(double x) {
  constexpr double half = 8388608;  // 2^23
  constexpr double whole = half * half;
  constexpr double a = 1220703125;
  const double a_high = std::floor(a / half);
  const double a_low = a - half * a_high;
  const double x_high = std::floor(x / half);
  const double x_low = x - half * x_high;
  const double cross = a_high * x_low + a_low * x_high;
  const double kept = cross - half * std::floor(cross / half);
  const double sum = half * kept + a_low * x_low;
  return sum - whole * std::floor(sum / whole);
}

/// Of each of the places `at`: how many keys are less than its, as the benchmark has them in its iteration `iteration`,
/// which changes two.
template <std::size_t n>
std::vector<std::int64_t> ranks_of(const IsClass& c, const std::int64_t (&at)[n], int iteration) {
  std::vector<std::int64_t> keys;
  keys.reserve(static_cast<std::size_t>(c.keys()));
  IsKeyStream stream(c, 0, 1);
  for (std::int64_t i = 0; i < c.keys(); ++i) keys.push_back(stream.next());
  std::vector<std::int64_t> mine;
  for (const std::int64_t place : at) mine.push_back(keys[static_cast<std::size_t>(place)]);
  for (int i = 1; i <= iteration; ++i) {
    keys[static_cast<std::size_t>(i)] = i;
    keys[static_cast<std::size_t>(i) + 10] = c.max_key() - i;
  }
  std::vector<std::int64_t> out(mine.size());
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const std::int64_t* const first = keys.data();
    out[i] = std::count_if(first, first + keys.size(), [m = mine[i]](std::int64_t k) { return k < m; });
  }
  return out;
}

struct Extremes {
  double most;
  double least;
};
/// What ranks get over the mean.
Extremes shares(const IsKeys& k) {
  Extremes out{0, 1e9};
  for (int rank = 0; rank < k.ranks(); ++rank) {
    const double share = static_cast<double>(k.received(rank)) / static_cast<double>(k.own());
    out = {std::max(out.most, share), std::min(out.least, share)};
  }
  return out;
}

}  // namespace

TEST_CASE("npb: integers give the random numbers that the benchmarks compute in doubles") {
  NpbRandom integers;
  double x = 314159265;
  for (int i = 0; i < 100'000; ++i) {
    x = in_doubles(x);
    REQUIRE(static_cast<double>(integers.next()) == x);
  }
}

TEST_CASE("npb: numbers may be skipped") {
  NpbRandom all;
  for (std::uint64_t n = 0; n < 300; ++n) {
    NpbRandom some;
    some.skip(n);
    REQUIRE(some.next() == all.next());
  }
}

// What is.c tests itself by: ranks of five keys, which move by one each iteration as keys are changed below or above.
TEST_CASE("npb: ranks of class S are those that is.c expects in each iteration") {
  const std::int64_t at[] = {48427, 17148, 23627, 62548, 4431};
  const std::int64_t expected[] = {0, 18, 346, 64917, 65463};
  for (const int iteration : {1, 2, 10}) {
    const auto ranks = ranks_of(class_s, at, iteration);
    for (std::size_t i = 0; i < 5; ++i) CHECK(ranks[i] == expected[i] + (i <= 2 ? iteration : -iteration));
  }
}

TEST_CASE("npb: ranks of class A are those that is.c expects") {
  const std::int64_t at[] = {2112377, 662041, 5336171, 3642833, 4250760};
  const std::int64_t expected[] = {104, 17523, 123928, 8288932, 8388264};
  const auto ranks = ranks_of(class_a, at, 1);
  for (std::size_t i = 0; i < 5; ++i) CHECK(ranks[i] == expected[i]);
}

TEST_CASE("npb: ranks of class B are those that is.c expects") {
  const std::int64_t at[] = {41869, 812306, 5102857, 18232239, 26860214};
  const std::int64_t expected[] = {33422937, 10244, 59149, 33135281, 99};
  const auto ranks = ranks_of(class_b, at, 1);
  for (std::size_t i = 0; i < 5; ++i) CHECK(ranks[i] == expected[i] + (i == 1 || i == 2 || i == 4 ? 1 : -1));
}

TEST_CASE("npb: each rank draws its part of the same keys") {
  IsKeyStream all(class_s, 0, 1);
  for (int rank = 0; rank < 8; ++rank) {
    IsKeyStream mine(class_s, rank, 8);
    for (std::int64_t i = 0; i < class_s.keys() / 8; ++i) REQUIRE(mine.next() == all.next());
  }
}

TEST_CASE("npb: every key goes to one rank, whose buckets follow those of the rank before") {
  for (const int ranks : {1, 2, 16, 64, 512}) {
    const IsKeys k(class_s, ranks);
    std::int64_t received = 0;
    std::int64_t range = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      std::int64_t sent = 0;
      for (int to = 0; to < ranks; ++to) sent += k.sent(rank, to);
      CHECK(sent == k.own());
      received += k.received(rank);
      range += k.range(rank);
      CHECK(k.first_bucket(rank) <= k.first_bucket(rank + 1));
    }
    CHECK(received == class_s.keys());
    CHECK(k.first_bucket(0) == 0);
    // Up to the last bucket with a key: from there on all have their shares.
    CHECK(range == std::int64_t{k.first_bucket(ranks)} << class_s.shift());
    CHECK(k.first_bucket(ranks) == (ranks == 512 ? 512 : 494));
  }
}

TEST_CASE("npb: a rank takes buckets until its share is full") {
  const IsKeys k(class_a, 16);
  std::int64_t before = 0;
  for (int rank = 0; rank + 1 < 16; ++rank) {
    before += k.received(rank);
    CHECK(before >= k.own() * (rank + 1));
    std::int64_t last = 0;
    for (int from = 0; from < 16; ++from) last += k.in_bucket(from, k.first_bucket(rank + 1) - 1);
    CHECK(before - last < k.own() * (rank + 1));
  }
}

TEST_CASE("npb: with as many ranks as buckets the last ranks have none") {
  const IsKeys k(class_s, 512);
  CHECK(k.first_bucket(511) == 512);
  CHECK(k.received(511) == 0);
  CHECK(k.range(511) == 0);
}

TEST_CASE("npb: keys of class B are as uneven as the benchmark's, and take no time") {
  const std::clock_t begin = std::clock();
  const IsKeys of_16(class_b, 16);
  const double cpu_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  CHECK(shares(of_16).most == Approx(1.04).margin(0.005));
  CHECK(shares(of_16).least == Approx(0.97).margin(0.005));
  CHECK(of_16.range(0) == 581'632);
  const IsKeys of_128(class_b, 128);
  CHECK(shares(of_128).most == Approx(1.32).margin(0.015));
  CHECK(shares(of_128).least == Approx(0.80).margin(0.005));
  CHECK(of_128.range(0) == 346'112);
  const IsKeys of_256(class_b, 256);
  CHECK(shares(of_256).most == Approx(1.40).margin(0.005));
  CHECK(shares(of_256).least == Approx(0.53).margin(0.005));
  CHECK(of_256.range(0) == 290'816);
#ifdef NDEBUG
  CHECK(cpu_s < 1.5);
#else
  static_cast<void>(cpu_s);
#endif
}

namespace {

/// Writes down what a rank refers to; a reference takes 1 ns, a byte in order 1 ps.
struct Noted final : comm::MemoryWalk {
  explicit Noted(std::vector<std::int64_t>& v) : values(v) {}
  Time stream(std::uint64_t /*address*/, Bytes n, bool written) override {
    (written ? counts : keys) += n.count();
    CHECK((written || keys <= 4 * static_cast<std::int64_t>(values.size() + 16)));  // read as they are counted
    return 1_ps * n.count();
  }
  Time refer(std::uint64_t address, Bytes n) override {
    CHECK(n == 4_B);
    values.push_back(static_cast<std::int64_t>(address / 4));
    return 1_ns;
  }
  std::vector<std::int64_t>& values;
  std::int64_t keys = 0;
  std::int64_t counts = 0;
};

}  // namespace

TEST_CASE("npb: a rank counts each key that it gets, by who sent it, then by bucket, then as it was drawn") {
  for (const int ranks : {1, 4, 16}) {
    CAPTURE(ranks);
    const IsKeys k(class_s, ranks);
    std::vector<std::vector<std::int64_t>> counted(static_cast<std::size_t>(ranks));
    const std::vector<IsRanking> times =
        follow_ranking(k, [&](int rank) { return std::make_unique<Noted>(counted[static_cast<std::size_t>(rank)]); });
    for (int rank = 0; rank < ranks; ++rank) {
      CAPTURE(rank);
      std::vector<std::int64_t> expected;
      for (int from = 0; from < ranks; ++from)
        for (int bucket = k.first_bucket(rank); bucket < k.first_bucket(rank + 1); ++bucket) {
          IsKeyStream drawn(class_s, from, ranks);
          for (std::int64_t i = 0; i < k.own(); ++i)
            if (const std::int64_t key = drawn.next(); key >> class_s.shift() == bucket) expected.push_back(key);
        }
      CHECK(counted[static_cast<std::size_t>(rank)] == expected);
      const IsRanking& t = times[static_cast<std::size_t>(rank)];
      CHECK(t.count == 1_ns * k.received(rank));
      CHECK(t.clear == 4_ps * k.range(rank));
      CHECK(t.add == t.clear);
    }
  }
}

TEST_CASE("npb: where no core is known nothing is waited for") {
  for (const IsRanking& t : follow_ranking(IsKeys(class_s, 4), [](int /*rank*/) { return nullptr; }))
    CHECK((t.clear == Time::zero() && t.count == Time::zero() && t.add == Time::zero()));
}

TEST_CASE("npb: FT counts the operations that it prints Mflop/s of") {
  const FtClass b{"B", 9, 8, 8, 20};
  CHECK(b.points() == std::int64_t{512} * 256 * 256);
  CHECK(b.planes() == 256);
  CHECK(static_cast<double>(b.operations()) == Approx(92.05e9).epsilon(1e-4));
}

}  // namespace npb_parts_test
