// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <stdexcept>

#include "scenarios/traffic/offered_load.hpp"
#include "scenarios/traffic/traffic_pattern.hpp"
#include "support/catch.hpp"
#include "units/checked.hpp"
#include "units/parse.hpp"

namespace units_checked_test {

using namespace tsunagi;

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST_CASE("a checked product is exact or nothing") {
  CHECK(checked_product(Bytes(3), 4) == Bytes(12));
  CHECK(checked_product(Bytes(most), 1) == Bytes(most));
  CHECK_FALSE(checked_product(Bytes(most), 2));
  CHECK_FALSE(checked_product(Bytes(std::int64_t{1} << 32), std::int64_t{1} << 31));
  CHECK_FALSE(checked_product(checked_product(Bytes(most), 2), 0));
  CHECK(checked_product(2_us, 3) == 6_us);
  CHECK_FALSE(checked_product(Time::max(), 2));
  CHECK_FALSE(checked_product(most, -2));
}

TEST_CASE("a part of a rate is exact where it fits, and nearly so where it does not") {
  CHECK(Rate::bytes_per_second(4'000'000'000).scaled(256, 280) == Rate::bytes_in(256 * 4, 280 * 1'000'000));
  // a prime number of bytes a second: 1e15 in the fraction
  const Rate odd = Rate::bytes_per_second(1'234'567'891);
  const std::int64_t message = 1 << 30;
  const Rate part = odd.scaled(message - 3, message + 1);
  const double expected = 1'234'567'891.0 * (message - 3) / (message + 1);
  CHECK(std::abs(part.bytes_per_second() / expected - 1) < 1e-12);  // bytes have 42 of the 62 bits
  const Rate extreme = Rate::bytes_in(most, most - 1).scaled(most - 2, most - 6);
  CHECK(std::abs(extreme.bytes_per_second() / 1e15 - 1) < 4e-15);
  CHECK(odd.scaled(7, 7) == odd);
}

TEST_CASE("a load that is given as a rate is a share whatever the digits of both") {
  using scenarios::OfferedLoad;
  using scenarios::parse_load;
  const Rate full = Rate::bytes_in(most, most - 1);  // 1 B a fs
  CHECK(parse_load("500000000000000 B/s").of(full) == 500'000);
  CHECK(parse_load("9223372036854775806 B/9223372036854775807 fs").of(full) == 1'000'000);
  CHECK(parse_load("1 b/s").of(full) == 0);
  CHECK(parse_load("1 GB/s").of(Rate::bytes_per_second(1'000'000)) == OfferedLoad::most);
  CHECK(parse_load("1 TB/s").of(Rate::bytes_per_second(1000)) == OfferedLoad::most + 1);
  CHECK(parse_load("9223372036854775807 B/1 fs").of(Rate::bytes_in(1, most)) == OfferedLoad::most + 1);
}

TEST_CASE("a traffic grid with sides that are none, or too many cells, is refused") {
  const auto why = [](std::vector<std::int64_t> grid) -> std::string {
    scenarios::PatternChoice choice;
    choice.pattern = scenarios::Pattern::tornado;
    choice.grid = std::move(grid);
    try {
      scenarios::TrafficPattern(choice, 4);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  CHECK(why({2, 2}).find("nobody would send") != std::string::npos);
  CHECK(why({4}).empty());
  CHECK(why({-2, -2}) == "a grid has no side of -2");
  CHECK(why({0, 4}) == "a grid has no side of 0");
  CHECK(why({std::int64_t{1} << 32, std::int64_t{1} << 32, 4}) ==
        "grid [4294967296, 4294967296, 4] has too many places for 4 ranks");
}

}  // namespace units_checked_test
