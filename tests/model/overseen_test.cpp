// SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "sim/simulation.hpp"
#include "support/catch.hpp"

namespace overseen_test {

using namespace tsunagi;

namespace {

/// Rings every 10 ns, for ever.
struct Clock final : sim::Alarm {
  explicit Clock(sim::Agenda& a) : Alarm(sim::Phase::grant), agenda(a) {}
  void ring() override {
    agenda.arm(*this, agenda.now() + 10_ns);
    if (agenda.now() == 100_ns) *stop = true;
  }
  sim::Agenda& agenda;
  std::atomic<bool>* stop = nullptr;
};

struct Outside {
  std::atomic<std::int64_t> now{-1};
  std::atomic<bool> stop{false};
};

}  // namespace

TEST_CASE("a simulation of alarms tells who oversees it the time, and ends when he says so") {
  Outside outside;
  sim::Simulation sim;
  sim.oversee(outside.now, outside.stop);
  Clock clock(sim.agenda());
  clock.stop = &outside.stop;
  sim.agenda().arm(clock, 10_ns);
  CHECK_THROWS_AS(sim.run(1_ms), sim::Stopped);
  CHECK(sim.now() == 100_ns);
  CHECK(outside.now == Time(100_ns).fs());
}

TEST_CASE("a program that does nothing but wait is overseen, too") {
  Outside outside;
  sim::Simulation sim;
  sim.oversee(outside.now, outside.stop);
  sim.spawn("rank 0", [&](Fiber& f) {
    for (Time t = 10_ns;; t += 10_ns) {
      f.wait_until(t);
      if (t == 50_ns) outside.stop = true;
    }
  });
  CHECK_THROWS_AS(sim.run(1_ms), sim::Stopped);
  CHECK(outside.now == Time(60_ns).fs());
}

}  // namespace overseen_test
