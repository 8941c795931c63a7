// SPDX-License-Identifier: Apache-2.0
// `Simulation::settle`: a program that looks sees all of its instant, also what those did who looked before it, and
// that costs two wake-ups a look however many look at once.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "sim/simulation.hpp"
#include "support/catch.hpp"
#include "support/child.hpp"

namespace settle_test {

using namespace tsunagi;
using test::in_child;

namespace {

/// Arrives at once when somebody sends: a network without any latency, of which the grant and the arrival are alarms of
/// the same instant.
class Network {
 public:
  explicit Network(sim::Agenda& a)
      : agenda_(a), grant_(*this, sim::Phase::grant), arrival_(*this, sim::Phase::arrive) {}
  void send() { agenda_.arm(grant_, agenda_.now()); }
  int arrived() const { return arrived_; }

 private:
  struct Stage final : sim::Alarm {
    Stage(Network& n, sim::Phase p) : Alarm(p), network(n), phase(p) {}
    void ring() override {
      if (phase == sim::Phase::arrive)
        ++network.arrived_;
      else
        network.agenda_.arm(network.arrival_, network.agenda_.now());
    }
    Network& network;
    sim::Phase phase;
  };
  sim::Agenda& agenda_;
  Stage grant_;
  Stage arrival_;
  int arrived_ = 0;
};

struct Order {
  bool reversed;
  bool delayed;
};
constexpr Order orders[] = {{false, false}, {true, false}, {false, true}, {true, true}};

/// So many programs look at one instant; each then sends. What they have found, and the wake-ups.
std::string look_and_send(int programs, const Order& order) {
  sim::Simulation sim;
  sim.agenda().reverse_ties(order.reversed);
  sim.delay_alarms(order.delayed);
  std::vector<std::unique_ptr<Network>> networks;
  for (int i = 0; i < programs; ++i) networks.push_back(std::make_unique<Network>(sim.agenda()));
  std::vector<int> came;
  std::vector<int> went;
  std::string out;
  for (int i = 0; i < programs; ++i)
    sim.spawn("rank " + std::to_string(i), [&, i](Fiber& f) {
      f.wait_until(1_ns);
      came.push_back(i);
      sim.settle(f);
      int found = 0;
      for (const auto& n : networks) found += n->arrived();
      out += std::to_string(found) + (f.now() == 1_ns ? " " : " late ");
      went.push_back(i);
      networks[static_cast<std::size_t>(i)]->send();
    });
  sim.run(1_us);
  if (came != went) out += "in another order ";
  return out + std::to_string(sim.agenda().wakeups());
}

}  // namespace

// Were all let go when those alarms have rung that were armed when they came, each would find nothing.
TEST_CASE("programs that look at one instant find what those before them sent at it, in the order in which they came") {
  for (const int programs : {1, 2, 16, 64, 256})
    for (const Order& order : orders) {
      std::string expected;
      for (int i = 0; i < programs; ++i) expected += std::to_string(i) + " ";
      // Of each its start, a grant and an arrival; of all but the first, for which nothing was to be told, a turn.
      expected += std::to_string(programs * 3 + (programs - 1) * 2);
      INFO(programs << (order.reversed ? " reversed" : "") << (order.delayed ? " delayed" : ""));
      CHECK(in_child([&] { return look_and_send(programs, order); }) == expected);
    }
}

TEST_CASE("a look does not wait for programs that have yet to go on at its instant") {
  sim::Simulation sim;
  Event start;
  std::string order;
  sim.spawn("looks", [&](Fiber& f) {
    f.wait_until(1_ns);
    start.notify();
    sim.settle(f);
    order += "looked ";
  });
  sim.spawn("goes on", [&](Fiber& f) {
    f.wait(start, "the start");
    order += "went on";
  });
  sim.run(1_us);
  CHECK(order == "looked went on");
  CHECK(sim.agenda().wakeups() == 2);
}

TEST_CASE("a look at an instant at which nothing happens costs nothing") {
  sim::Simulation sim;
  Network later(sim.agenda());
  sim.spawn("rank 0", [&](Fiber& f) {
    f.wait_until(1_ns);
    for (int i = 0; i < 100; ++i) sim.settle(f);
    CHECK(f.now() == 1_ns);
  });
  sim.run(1_us);
  CHECK(sim.agenda().wakeups() == 1);
}

namespace {

/// Tells `what` when it rings.
struct Bell final : sim::Alarm {
  explicit Bell(sim::Phase p) : Alarm(p) {}
  void ring() override { what.notify(); }
  Event what;
};

}  // namespace

// Bells ring at the instant of the look, before and behind the alarm that lets the first of three go on; whoever they
// wake runs before that first one, does not have to wait then, and sends.
TEST_CASE("who is kept by somebody that came later keeps its place in the order") {
  sim::Simulation sim;
  Network network(sim.agenda());
  Bell start(sim::Phase::grant);
  Bell bells[] = {Bell(sim::Phase::grant), Bell(sim::Phase::grant)};
  int sent = 0;
  std::string came;
  std::string went;
  bool passed = false;  // somebody has gone on before the first of three
  const auto look = [&](char name, Fiber& f) {
    sim.settle(f);
    CHECK(network.arrived() == sent);
    CHECK(f.now() == 1_ns);
    went += name;
  };
  for (const char name : {'a', 'b', 'c'})
    sim.spawn(std::string(1, name), [&, name](Fiber& f) {
      f.wait(start.what, "the start");
      came += name;
      if (came.size() < 3) sim.agenda().arm(bells[came.size() - 1], f.now());
      look(name, f);
    });
  for (Bell& bell : bells)
    sim.spawn("late", [&](Fiber& f) {
      f.wait_for(Time::from_fs(1));  // of programs of one instant the one goes on first that has waited first
      f.wait(bell.what, "the bell");
      look('-', f);
      passed = passed || went == "-";
      network.send();
      ++sent;
    });
  sim.agenda().arm(start, 1_ns);
  sim.run(1_us);
  CHECK(passed);
  went.erase(std::remove(went.begin(), went.end(), '-'), went.end());
  CHECK(came.size() == 3);
  CHECK(went == came);
  CHECK(sim.agenda().empty());
}

}  // namespace settle_test
