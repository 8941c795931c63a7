// SPDX-License-Identifier: Apache-2.0
// Time is the agenda's where the kernel is ours: alarms and programs in their order, and when the kernel has to act.
#include <string>

#include "fiber/fiber.hpp"
#include "sim/simulation.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace kernel_test {

using namespace tsunagi;

namespace {

/// Rings `n` times, each a nanosecond after the time before, and tells somebody at one of them.
class Ticker final : public sim::Alarm {
 public:
  Ticker(sim::Agenda& agenda, int n) : Alarm(sim::Phase::grant), agenda_(agenda), left_(n) {}
  void tell(int at, Event& event) {
    tell_at_ = at;
    event_ = &event;
  }
  int rang() const { return rang_; }

 protected:
  void ring() override {
    ++rang_;
    if (event_ != nullptr && rang_ == tell_at_) event_->notify();
    if (--left_ > 0) agenda_.arm(*this, agenda_.now() + 1_ns);
  }

 private:
  sim::Agenda& agenda_;
  int left_;
  int rang_ = 0;
  int tell_at_ = 0;
  Event* event_ = nullptr;
};

}  // namespace

TEST_CASE("alarms ring one after the other in one pass of the kernel") {
  sim::Simulation sim;
  Ticker ticker(sim.agenda(), 1000);
  sim.agenda().arm(ticker, 5_ns);
  REQUIRE(sim.run(1_s));
  CHECK(ticker.rang() == 1000);
  CHECK(sim.now() == 1004_ns);
  CHECK(sim.kernel_passes() == 1);
}

TEST_CASE("a fiber that waits until a time sees the alarms before it, and none behind it") {
  sim::Simulation sim;
  Ticker ticker(sim.agenda(), 1000);
  sim.agenda().arm(ticker, 1_ns);
  int seen = 0;
  sim.spawn("waits", [&](Fiber& f) {
    f.wait_until(Time::from_fs(100'500'000));
    seen = ticker.rang();
    CHECK(sim.now() == f.now());
  });
  REQUIRE(sim.run(1_s));
  CHECK(seen == 100);
  CHECK(sim.kernel_passes() <= 3);
}

TEST_CASE("a fiber goes on behind the alarms of its very instant") {
  sim::Simulation sim;
  Ticker ticker(sim.agenda(), 1000);
  sim.agenda().arm(ticker, 1_ns);
  int seen = 0;
  sim.spawn("waits", [&](Fiber& f) {
    for (int i = 1; i <= 1000; ++i) {
      f.wait_until(1_ns * i);
      if (ticker.rang() == i) ++seen;
    }
  });
  REQUIRE(sim.run(1_s));
  CHECK(seen == 1000);
  CHECK(sim.agenda().wakeups() == 2000);
}

TEST_CASE("a fiber that nothing comes before goes on without the kernel, as far as the run does") {
  sim::Simulation sim;
  int went = 0;
  sim.spawn("alone", [&](Fiber& f) {
    for (;;) {
      f.wait_for(1_ns);
      CHECK(sim.now() == 1_ns * ++went);
    }
  });
  CHECK(!sim.run(Time::from_fs(400'500'000)));
  CHECK(went == 400);
  CHECK(sim.agenda().wakeups() == 400);
  CHECK(sim.kernel_passes() <= 2);
}

TEST_CASE("a fiber that another one of its instant has yet to follow waits for it") {
  sim::Simulation sim;
  std::string order;
  const auto program = [&](char name, Time step) {
    sim.spawn(std::string(1, name), [&, name, step](Fiber& f) {
      CHECK(f.now() == Time::zero());
      for (int i = 0; i < 3; ++i) {
        f.wait_for(step);
        order += name;
      }
    });
  };
  program('a', 5_ns);
  program('b', 2_ns);
  REQUIRE(sim.run(1_s));
  CHECK(order == "bbabaa");
}

TEST_CASE("a fiber that an alarm wakes runs at that alarm's time") {
  sim::Simulation sim;
  Ticker ticker(sim.agenda(), 1000);
  Event event;
  ticker.tell(300, event);
  sim.agenda().arm(ticker, 1_ns);
  Time woken;
  int seen = 0;
  sim.spawn("sleeps", [&](Fiber& f) {
    f.wait(event, "the ticker");
    woken = f.now();
    seen = ticker.rang();
  });
  REQUIRE(sim.run(1_s));
  CHECK(woken == 300_ns);
  CHECK(seen == 300);
}

TEST_CASE("alarms that are delayed ring behind the fibers of their instant") {
  sim::Simulation sim;
  sim.delay_alarms(true);
  Ticker ticker(sim.agenda(), 1000);
  sim.agenda().arm(ticker, 1_ns);
  int seen = 0;
  sim.spawn("waits", [&](Fiber& f) {
    f.wait_until(100_ns);
    seen = ticker.rang();
  });
  REQUIRE(sim.run(1_s));
  CHECK(seen == 99);
  CHECK(ticker.rang() == 1000);
}

TEST_CASE("a run ends at its limit, whatever the agenda still has") {
  sim::Simulation sim;
  Ticker ticker(sim.agenda(), 1000);
  sim.agenda().arm(ticker, 1_ns);
  CHECK(!sim.run(Time::from_fs(400'500'000)));
  CHECK(ticker.rang() == 400);
}

}  // namespace kernel_test
