// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "support/catch.hpp"
#include "support/print.hpp"
#include "units/clock.hpp"

namespace units_clock_test {

using namespace tsunagi;

TEST_CASE("edges of a clock with a whole period lie at its multiples") {
  const Clock c(Frequency(250'000'000));
  CHECK(c.edge(0) == 0_ns);
  CHECK(c.edge(1'000'000) == 4_ms);
  CHECK(c.at_or_after(8_ns) == 8_ns);
  CHECK(c.at_or_after(8_ns + 1_fs) == 12_ns);
  CHECK(c.after(9_ns, 3) == 24_ns);
  CHECK(c.cycles(17) == 68_ns);
}

TEST_CASE("edges of a 2.6 GHz clock are exact to the femtosecond for ever") {
  const Clock c(Frequency(2'600'000'000));
  // Edge k lies at k/2.6e9 s = k * 5000000/13 fs, rounded up; every 13th is whole.
  CHECK(c.edge(1).fs() == (5'000'000 + 12) / 13);
  CHECK(c.edge(13) == 5_ns);
  CHECK(c.edge(2'600'000'000) == 1_s);
  CHECK(c.edge(26'000'000'000) == 10_s);
  for (std::int64_t k = 1'000'000'000; k < 1'000'000'100; ++k) {
    CHECK(c.index_at_or_after(c.edge(k)) == k);
    CHECK(c.index_at_or_after(c.edge(k) + 1_fs) == k + 1);
    CHECK(c.index_at_or_after(c.edge(k) - 1_fs) == k);
    // Never earlier than the true edge, never a femtosecond late.
    const Wide numerator = static_cast<Wide>(k) * 5'000'000;
    CHECK(static_cast<Wide>(c.edge(k).fs()) * 13 >= numerator);
    CHECK(static_cast<Wide>(c.edge(k).fs() - 1) * 13 < numerator);
  }
}

TEST_CASE("edges of any clock are those of exact division, at any time") {
  for (const std::int64_t hz : std::initializer_list<std::int64_t>{3, 7, 33'333'333, 133'333'333, 533'333'333,
                                                                   2'800'000'000, 3'060'000'001, 3'000'000'000'001}) {
    const Clock c{Frequency(hz)};
    CAPTURE(hz);
    const auto edge = [hz](std::int64_t k) {
      return static_cast<std::int64_t>((static_cast<Wide>(k) * 1'000'000'000'000'000 + hz - 1) / hz);
    };
    for (std::int64_t fs = 1; fs < 4'000'000'000'000'000'000; fs = fs * 3 + 1) {
      const std::int64_t k = c.index_at_or_after(Time::from_fs(fs));
      CHECK(edge(k) >= fs);
      CHECK((k == 0 || edge(k - 1) < fs));
      CHECK(c.edge(k).fs() == edge(k));
      CHECK(c.after(Time::from_fs(fs), 5).fs() == edge(k + 5));
      // The guess is made in a double, which leaves up to 512 fs of such times: more than a cycle of the fastest clock.
      int wrong = 0;
      for (std::int64_t near = std::max<std::int64_t>(0, k - 2); near <= k + 2; ++near)
        for (std::int64_t t = std::max<std::int64_t>(0, edge(near) - 700); t <= edge(near) + 700; ++t) {
          const std::int64_t found = c.index_at_or_after(Time::from_fs(t));
          if (edge(found) < t || (found > 0 && edge(found - 1) >= t)) ++wrong;
        }
      CHECK(wrong == 0);
    }
  }
}

}  // namespace units_clock_test
