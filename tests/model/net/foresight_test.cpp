// SPDX-License-Identifier: Apache-2.0
// What an attempt hands on to the next: what it found out about its own foresight.
#include "net/sending/foresight.hpp"

#include "support/catch.hpp"

namespace foresight_test {

using namespace tsunagi;
using net::Foresight;
using net::Reach;

TEST_CASE("findings count the attempts and name the channels that were wrong") {
  sim::Simulation sim;
  Foresight first(sim, {}, true);
  CHECK(first.reach(3) == Reach::full);
  first.refute(3, Reach::known);
  first.refute(7, Reach::bounded);  // in the same attempt
  CHECK(first.refuted());
  CHECK(first.findings() == "1 3 2 7 1");
  const Foresight second(sim, first.findings(), true);
  CHECK(second.reach(3) == Reach::known);
  CHECK(second.reach(7) == Reach::bounded);
  CHECK(second.reach(8) == Reach::full);
  CHECK_FALSE(second.refuted());
}

TEST_CASE("after six attempts nothing is granted ahead any more") {
  sim::Simulation sim;
  CHECK(Foresight(sim, "5 3 1", true).ahead());
  CHECK_FALSE(Foresight(sim, "6 3 1", true).ahead());
  CHECK(Foresight(sim, "6 3 1", true).reach(8) == Reach::single);
}

}  // namespace foresight_test
