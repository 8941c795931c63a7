// SPDX-License-Identifier: Apache-2.0
#include "net/backlog.hpp"

#include <algorithm>

#include "support/catch.hpp"
#include "support/print.hpp"

namespace backlog_test {

using namespace tsunagi;

TEST_CASE("a backlog is that of before the instant in which it is asked for") {
  net::Backlog b;
  CHECK(b.before(0_ns) == 0);
  b.add(1_ns, 5);
  CHECK(b.before(1_ns) == 0);
  b.add(1_ns, 2);
  CHECK(b.before(1_ns) == 0);
  CHECK(b.before(2_ns) == 7);
  b.add(2_ns, 10);
  CHECK(b.before(2_ns) == 7);
  b.leave(3_ns, 5);
  CHECK(b.before(3_ns) == 17);
  CHECK(b.before(4_ns) == 12);
}

TEST_CASE("what leaves a backlog is told in any order and counts in that of time") {
  net::Backlog b;
  b.add(0_ns, 100);
  b.leave(9_ns, 1);
  b.leave(5_ns, 20);
  b.leave(7_ns, 3);
  CHECK(b.before(5_ns) == 100);
  CHECK(b.before(6_ns) == 80);
  CHECK(b.before(8_ns) == 77);
  b.leave(8_ns, 40);
  CHECK(b.before(9_ns) == 37);
  CHECK(b.before(10_ns) == 36);
  for (int i = 0; i < 4; ++i) b.leave(20_ns + 1_ns * (i % 2), 5);
  CHECK(b.before(20_ns) == 36);
  CHECK(b.before(30_ns) == 16);
  CHECK(b.pending() == 0);
}

TEST_CASE("what left a backlog is taken off whether or not anybody asked meanwhile") {
  net::Backlog asked, unasked;
  for (int i = 0; i < 100; ++i) {
    const Time now = 2_ns * i;
    for (net::Backlog* b : {&asked, &unasked}) {
      b->add(now, 3);
      b->leave(now + 5_ns, 3);
    }
    CHECK(asked.before(now) == 3 * std::min(i, 2));  // of the one 6 ns before the credit is there
  }
  CHECK(unasked.pending() <= 3);
  CHECK(unasked.before(200_ns) == asked.before(200_ns));
}

}  // namespace backlog_test
