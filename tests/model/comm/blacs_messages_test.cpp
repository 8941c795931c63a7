// SPDX-License-Identifier: Apache-2.0
// What BLACS leaves to the messages that it is made of.
#include "models/libraries/blacs/blacs_messages.hpp"

#include <memory>
#include <string>
#include <vector>

#include "sim/simulation.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"
#include "support/sender_matched.hpp"

namespace blacs_messages_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Buffer;

namespace {

constexpr int of_collectives = 1;  // a context

/// Two ranks whose calls cost nothing but what those below do.
struct Bench {
  Bench() {
    config.call_cycles = 0;
    messages = std::make_unique<libraries::BlacsMessages>(config, *library.facet<comm::TwoSided>(), processor,
                                                          std::vector<host::Core*>(2), step, 1_MiB);
  }
  sim::Simulation sim;
  SenderMatched library{2};
  comm::Processor processor;
  comm::Steps step{library.accounts()};
  libraries::BlacsMessagesConfig config;
  std::unique_ptr<libraries::BlacsMessages> messages;
};

const Buffer bytes{0_B, 64_B, {}, {}};

}  // namespace

TEST_CASE("blacs: a program's end is one for the messages below") {
  Bench b;
  b.sim.spawn("rank 0", [&](Fiber& f) { b.messages->finish(f, 0); });
  REQUIRE(b.sim.run(1_ms));
  CHECK(b.library.finished == 1);
}

TEST_CASE("blacs: what never met is told, below and of its own") {
  Bench b;
  b.sim.spawn("rank 0", [&](Fiber& f) {
    b.messages->isend(f, 0, 1, of_collectives, 7, bytes);
    b.messages->irecv(f, 0, {1, 5, 0}, bytes);
  });
  REQUIRE(b.sim.run(1_ms));
  const std::vector<std::string> left = b.messages->leftovers();
  REQUIRE(left.size() == 2);
  CHECK_THAT(left[0], Catch::Contains("rank 0 with tag 7"));
  CHECK(left[1] == "rank 0 never waited for what it receives from rank 1 with tag 5");
}

}  // namespace blacs_messages_test
