// SPDX-License-Identifier: Apache-2.0
// Which places a slot's ordered writes find for their lines, by hand.
#include "models/host/ordered_writes.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace host_ordered_writes_test {

using namespace tsunagi;
using host::OrderedWrites;
using host::OrderedWritesConfig;

namespace {

OrderedWritesConfig two_places() {
  OrderedWritesConfig c;
  c.lines = 2;
  c.ownership = 100_ns;
  c.remote_lines = 1;
  c.remote_ownership = 300_ns;
  return c;
}

}  // namespace

TEST_CASE("ordered writes: the third line waits until the first is owned") {
  OrderedWrites w(two_places());
  CHECK(w.place(0, 10_ns, 1, false) == 10_ns);
  CHECK(w.place(0, 20_ns, 1, false) == 20_ns);
  CHECK(w.place(0, 30_ns, 1, false) == 110_ns);
  CHECK(w.place(0, 500_ns, 1, false) == 500_ns);  // all have been owned for long
}

TEST_CASE("ordered writes: a packet of several lines begins when the last of them has a place") {
  OrderedWrites w(two_places());
  CHECK(w.place(0, 0_ns, 4, false) == 100_ns);  // at 0, 0, 100 and 100 ns
  CHECK(w.place(0, 0_ns, 2, false) == 200_ns);
}

TEST_CASE("ordered writes: ports, and memories of other sockets, have places of their own") {
  OrderedWrites w(two_places());
  CHECK(w.place(0, 0_ns, 2, false) == 0_ns);
  CHECK(w.place(1, 0_ns, 2, false) == 0_ns);
  CHECK(w.place(0, 0_ns, 1, true) == 0_ns);
  CHECK(w.place(0, 0_ns, 1, true) == 300_ns);
  CHECK(w.place(0, 0_ns, 1, false) == 100_ns);
}

TEST_CASE("ordered writes: without a number of lines nothing waits") {
  const OrderedWrites none(OrderedWritesConfig{});
  CHECK_FALSE(none.limits(false));
  CHECK_FALSE(none.limits(true));
  const OrderedWrites two(two_places());
  CHECK(two.limits(false));
  CHECK(two.limits(true));
}

}  // namespace host_ordered_writes_test
