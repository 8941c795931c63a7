// SPDX-License-Identifier: Apache-2.0
// Machines in the design hierarchy, as whoever looks at it by SystemC's own functions finds them; and the kernel
// shared with others' modules.
#include <unistd.h>

#include <sstream>
#include <systemc>

#include "support/bench.hpp"
#include "support/child.hpp"

namespace hierarchy_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

void print(std::ostream& out, const sc_core::sc_object& o, int depth) {
  out << std::string(static_cast<std::size_t>(depth), ' ') << o.basename() << ": " << o.kind() << "\n";
  for (const sc_core::sc_object* child : o.get_child_objects()) print(out, *child, depth + 1);
}

/// The hierarchy below `o`, a line each.
std::string printed(const sc_core::sc_object& o) {
  std::ostringstream out;
  print(out, o, 0);
  return out.str();
}

/// Two nodes with a card each that are wired to each other inside a node, and one beside them.
void add_cards(Bench& b) {
  b.device("node0.a", port("out"));
  b.device("node0.b", ProbeConfig{{port("in"), port("on")}, {}, false});
  b.device("node1.a", port("in"));
  b.wire("node0.a.out", "node0.b.in", quiet(gen2_x8()));
  b.wire("node0.b.on", "node1.a.in", quiet(gen2_x8()));
}

/// Ticks for ever.
struct ForeignClock : sc_core::sc_module {
  SC_HAS_PROCESS(ForeignClock);
  explicit ForeignClock(const sc_core::sc_module_name& name) : sc_core::sc_module(name) { SC_METHOD(tick); }
  void tick() {
    ++ticks;
    next_trigger(1, sc_core::SC_NS);
  }
  int ticks = 0;
};

/// Somebody else's model with a simulation of ours in it.
struct Top : sc_core::sc_module {
  explicit Top(const sc_core::sc_module_name& name) : sc_core::sc_module(name) { simulation.end_construction(); }
  sim::Simulation simulation{"tsunagi", sim::Kernel::shared};
};

}  // namespace

TEST_CASE("a walk over the hierarchy prints the machine") {
  Bench b;
  add_cards(b);
  b.build();
  CHECK(printed(*sc_core::sc_find_object("tsunagi")) ==
        "tsunagi: simulation\n"
        " agenda: agenda\n"
        "  dispatch: sc_method_process\n"
        " node0: group\n"
        "  a: probe\n"
        "  b: probe\n"
        "  a_out__b_in: link\n"
        " node1: group\n"
        "  a: probe\n"
        " node0_b_on__node1_a_in: link\n");
  CHECK(b.probe("node0.a").name() == "node0.a");
  CHECK(std::string(b.probe("node1.a").full_name()) == "tsunagi.node1.a");
}

TEST_CASE("programs are processes below the agenda, whatever they are called") {
  Bench b;
  add_cards(b);
  b.build();
  int found = 0;
  for (const char* name : {"rank 0", "rank.0"})
    b.program(name, [&](Fiber& f) {
      f.wait_for(1_ns);
      for (const char* process : {"tsunagi.agenda.rank_0", "tsunagi.agenda.rank_0_0"})
        found += sc_core::sc_find_object(process) != nullptr ? 1 : 0;
    });
  b.run();
  CHECK(found == 2 + 1);  // the first has ended when the second looks
  CHECK(sc_core::sc_get_top_level_objects().size() == 1);
}

TEST_CASE("a machine that is gone leaves its names free") {
  sim::Simulation sim;
  for (int i = 0; i < 3; ++i) {
    std::string kind = "group";
    const sim::ModuleName name(sim.root(), "node0", kind.c_str());
    kind = "other";
    const sim::Module group(sim, name);
    REQUIRE(sc_core::sc_find_object("tsunagi.node0") != nullptr);
    CHECK(sc_core::sc_find_object("tsunagi.node0")->kind() == std::string("group"));
    CHECK_THROWS_WITH(sim::ModuleName(sim.root(), "node0", "group"), "something is called \"tsunagi.node0\" already");
  }
  CHECK(sc_core::sc_find_object("tsunagi.node0") == nullptr);
}

TEST_CASE("a device cannot be called like a link") {
  Bench b;
  b.device("a", port("out"));
  b.device("b", port("in"));
  b.device("a_out__b_in", port("in"));
  b.wire("a.out", "b.in", quiet(gen2_x8()));
  CHECK_THROWS_WITH(b.build(), Catch::Contains("something is called \"tsunagi.a_out__b_in\" already"));
}

TEST_CASE("a device cannot be called like the processes' module") {
  Bench b;
  b.device("agenda", port("out"));
  CHECK_THROWS_WITH(b.build(), Catch::Contains("something is called \"tsunagi.agenda\" already"));
}

TEST_CASE("a simulation lies in the module that builds it, and nothing else in it") {
  const Top top("top");
  const ForeignClock clock("clock");
  CHECK(std::string(top.simulation.root().full_name()) == "top.tsunagi");
  CHECK(sc_core::sc_find_object("top.tsunagi.agenda") != nullptr);
  CHECK(std::string(clock.name()) == "clock");
}

TEST_CASE("in a shared kernel a run ends with its programs, though a clock ticks on") {
  sim::Simulation sim("tsunagi", sim::Kernel::shared);
  sim.end_construction();
  ForeignClock clock("clock");
  sim.spawn("sleeps", [](Fiber& f) { f.wait_until(Time::from_fs(100'500'000)); });
  Event never;
  sim.spawn_service("driver", [&](Fiber& f) { f.wait(never, "work"); });
  CHECK(sim.run(1_us));
  CHECK(sim.ended());
  CHECK(sim.now() == Time::from_fs(100'500'000));
  CHECK(clock.ticks == 101);
  sc_core::sc_start(1, sc_core::SC_NS);  // the kernel is its owner's
  CHECK(clock.ticks == 102);
}

TEST_CASE("in a shared kernel a program that nobody wakes is known at the limit") {
  sim::Simulation sim("tsunagi", sim::Kernel::shared);
  sim.end_construction();
  ForeignClock clock("clock");
  Event never;
  sim.spawn("waits", [&](Fiber& f) { f.wait(never, "a miracle"); });
  CHECK(!sim.run(1_us));
  CHECK(!sim.ended());
  REQUIRE(sim.unfinished().size() == 1);
  CHECK(sim.unfinished()[0].waits_for == "a miracle");
}

TEST_CASE("in a shared kernel alarms see no time but the kernel's") {
  sim::Simulation sim("tsunagi", sim::Kernel::shared);
  sim.end_construction();
  struct Alarm final : sim::Alarm {
    explicit Alarm(sim::Agenda& a) : sim::Alarm(sim::Phase::grant), agenda(a) { agenda.arm(*this, 1_ns); }
    void ring() override {
      same = same && sc_core::sc_time_stamp() == sc_core::sc_time::from_value(agenda.now().fs());
      if (++rang < 100) agenda.arm(*this, agenda.now() + 1_ns);
    }
    sim::Agenda& agenda;
    int rang = 0;
    bool same = true;
  } alarm(sim.agenda());
  CHECK(sim.run(1_us));
  CHECK(alarm.rang == 100);
  CHECK(alarm.same);
}

TEST_CASE("an error in a shared kernel comes out of run, and the kernel stays usable") {
  sim::Simulation sim("tsunagi", sim::Kernel::shared);
  sim.end_construction();
  ForeignClock clock("clock");
  sim.spawn("fails", [](Fiber&) { throw std::runtime_error("broken"); });
  CHECK_THROWS_WITH(sim.run(1_us), "broken");
  CHECK_THROWS_WITH(sim.ended(), "broken");
  sc_core::sc_start(1, sc_core::SC_NS);
  CHECK(clock.ticks > 0);
}

TEST_CASE("in our own program reports go to stderr") {
  std::cout.flush();
  const std::string said = in_child([] {
    std::cerr.flush();
    std::string file = "/tmp/tsunagi_reports_XXXXXX";
    const int fd = ::mkstemp(file.data());
    ::dup2(fd, 1);
    const sim::Simulation sim;
    SC_REPORT_WARNING("card", "too hot");
    SC_REPORT_INFO("card", "fine");
    std::cout.flush();
    const bool clean = ::lseek(fd, 0, SEEK_END) == 0;
    ::unlink(file.c_str());
    return std::string(clean ? "clean" : "dirty");
  });
  CHECK(said == "clean");
}

TEST_CASE("a time resolution of one femtosecond is taken as it is") {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  const sc_core::sc_time used(1, sc_core::SC_NS);
  CHECK_NOTHROW(sim::Simulation("tsunagi", sim::Kernel::shared));
}

TEST_CASE("another time resolution is refused with its remedy") {
  const sc_core::sc_time used(1, sc_core::SC_NS);
  CHECK_THROWS_WITH(sim::Simulation("tsunagi", sim::Kernel::shared),
                    "the time resolution of SystemC is 1 ps and can no longer be chosen; begin sc_main with "
                    "sc_core::sc_set_time_resolution(1, sc_core::SC_FS), before the first sc_time");
}

}  // namespace hierarchy_test
