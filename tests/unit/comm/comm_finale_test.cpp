// SPDX-License-Identifier: Apache-2.0
#include "comm/world/finale.hpp"
#include "support/catch.hpp"

namespace comm_finale_test {

using tsunagi::comm::Finale;

TEST_CASE("programs end together when all have nothing to do and nothing is on its way") {
  Finale all;
  for (int i = 0; i < 3; ++i) all.add_program();
  CHECK_FALSE(all.has(2));
  all.comes(2);
  CHECK(all.has(2));
  CHECK_FALSE(all.has(1));
  all.rests(true);
  all.rests(true);
  CHECK_FALSE(all.over());  // one still runs
  all.goes_on();
  all.rests(true);
  CHECK_FALSE(all.over());  // and what it may send is not known
  all.rests(false);
  CHECK_FALSE(all.over());  // something is on its way: who gets it goes on
  all.goes_on();
  all.rests(true);
  CHECK(all.over());
}

}  // namespace comm_finale_test
