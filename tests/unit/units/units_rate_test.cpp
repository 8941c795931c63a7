// SPDX-License-Identifier: Apache-2.0
#include "support/catch.hpp"
#include "support/print.hpp"
#include "units/rate.hpp"

namespace units_rate_test {

using namespace tsunagi;

namespace {
// Gen3 x8: 8 lanes x 8 GT/s x 128/130 bits: 126.953125 ps a byte.
constexpr Rate gen3_x8 = Rate::bytes_in(8, 1'015'625);
}  // namespace

TEST_CASE("a rate is a reduced ratio, whichever way it is written") {
  CHECK(gen3_x8.num() == 1'015'625);
  CHECK(gen3_x8.den() == 8);
  CHECK(Rate::bytes_in(16, 2'031'250) == gen3_x8);
  CHECK(Rate::bytes_per_second(4'000'000'000) == Rate::bytes_in(1, 250'000));
}

TEST_CASE("of two rates the slower one is the smaller one") {
  CHECK(Rate::bytes_per_second(7'000'000'000) < gen3_x8);
  CHECK(gen3_x8 < Rate::bytes_per_second(8'000'000'000));
  CHECK(gen3_x8 < Rate::infinite());
  CHECK_FALSE(Rate::infinite() < gen3_x8);
  CHECK_FALSE(Rate::infinite() < Rate::infinite());
  CHECK_FALSE(gen3_x8 < Rate::bytes_in(16, 2'031'250));
  constexpr std::int64_t large = (std::int64_t{1} << 62) + 1;
  CHECK(Rate::bytes_in(large - 2, large) < Rate::bytes_in(large - 1, large));
}

TEST_CASE("a million packets take exactly a million times the rate") {
  Remainder r;
  Time sum;
  for (int i = 0; i < 1'000'000; ++i) sum += gen3_x8.time(280_B - 3_B, r);  // 277 B: no multiple of 8
  CHECK(sum.fs() == 277 * 1'000'000LL * 1'015'625 / 8);
  CHECK(r.value == 0);
}

TEST_CASE("the sum of any packets is never off by a whole femtosecond") {
  Remainder r;
  Time sum;
  std::int64_t bytes = 0;
  for (int i = 0; i < 10'000; ++i) {
    const Bytes n(20 + i * 7919 % 4077);
    sum += gen3_x8.time(n, r);
    bytes += n.count();
    REQUIRE(sum.fs() == bytes * 1'015'625 / 8);  // the true sum, rounded down
  }
}

TEST_CASE("a transfer alone is rounded up") {
  CHECK(gen3_x8.time(1_B).fs() == 126'954);
  CHECK(gen3_x8.time(8_B).fs() == 1'015'625);
  CHECK(gen3_x8.time(0_B).fs() == 0);
}

TEST_CASE("an infinite rate takes no time") {
  Remainder r;
  CHECK(Rate::infinite().is_infinite());
  CHECK(Rate::infinite().time(4_GiB, r) == 0_ns);
  CHECK(Rate::infinite().time(4_GiB) == 0_ns);
}

TEST_CASE("a terabyte at a terabit a second does not overflow") {
  Remainder r;
  CHECK(Rate::bytes_per_second(125'000'000'000).time(Bytes(1'000'000'000'000), r) == 8_s);
}

}  // namespace units_rate_test
