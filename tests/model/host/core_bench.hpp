// SPDX-License-Identifier: Apache-2.0
// A core that several programs share, with a memory that others write to: every result must be the same whatever the
// order in which the kernel runs what happens at one time.
#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "support/bench.hpp"
#include "support/child.hpp"

namespace tsunagi::test {

class CoreBench {
 public:
  static constexpr Time cycle = 400_ps;
  static constexpr Time period = 4_ns;  // of a polling loop
  static constexpr Time detect = 60_ns;
  static constexpr Time flight = 1_ns;
  static constexpr std::uint64_t interrupt_at = 0x1000;

  CoreBench() {
    config.clock = Frequency(2'500'000'000);
    config.poll_cycles = 10;
    config.poll_detect = detect;
  }

  /// A program that starts at 0, in the order of these calls or the other way round.
  void program(const std::string& name, std::function<void(Fiber&)> f) { programs_.emplace_back(name, std::move(f)); }
  /// One that asks at `when` for a step of so many cycles, and tells when it is over.
  void executes(const std::string& name, Time when, std::int64_t cycles) {
    program(name, [this, when, cycles, name](Fiber& f) {
      f.wait_until(when);
      core().execute(f, "work", cycles);
      done(name, f);
    });
  }
  /// An interrupt handler; the interrupt, visible at `when`, costs so many cycles each of `steps` times.
  void handles(const std::string& name, Time when, std::int64_t cycles, int steps = 1) {
    writes(interrupt_at, when);
    services_.emplace_back(name, [this, cycles, steps, name](Fiber& f) {
      host::Word& w = memory().word_ending_at(interrupt_at + 8);
      for (std::uint64_t seen = 0;;) {
        core().wait_for_interrupt(f, w, seen);
        for (int i = 0; i < steps; ++i) core().execute(f, "interrupt handler", cycles);
        done(name, f);
      }
    });
  }
  /// A word of eight bytes at `address` says 1 from `when` on.
  void writes(std::uint64_t address, Time when) { writes_.emplace_back(address, when); }
  void done(const std::string& name, const Fiber& f) {
    text_.push_back(fmt::format("{} {}", name, f.now().fs() / 1000));
  }

  /// Runs it once, here. What `done` told, in picoseconds, by name.
  std::string run(bool backwards = false, bool reverse_ties = false, bool delay_alarms = false) {
    start(backwards, reverse_ties, delay_alarms);
    b.run();
    std::sort(text_.begin(), text_.end());
    return fmt::format("{}", fmt::join(text_, ", "));
  }
  /// What a run that must fail says.
  std::string failure() {
    start(false, false, false);
    return b.failure();
  }

  host::Core& core() { return b.machine().get<host::Core>("core"); }
  host::Memory& memory() { return b.machine().get<host::Memory>("memory"); }

  host::CoreConfig config;
  host::MemoryConfig memory_config;
  int programs = 2;  // that the core is told of
  Bench b;

 private:
  void start(bool backwards, bool reverse_ties, bool delay_alarms) {
    b.device("core", config);
    b.device("sink", on_chip("in"));
    b.device("source", on_chip("out"));
    memory_config.record = true;
    b.device("memory", memory_config);
    host::OnChipConfig bus;
    bus.bandwidth = Rate::infinite();
    bus.flight = flight;
    b.wire("core.bus", "sink.in", bus);
    b.wire("source.out", "memory.bus", bus);
    b.build();
    b.sim().agenda().reverse_ties(reverse_ties);
    b.sim().delay_alarms(delay_alarms);
    for (int i = 0; i < programs; ++i) core().add_program();
    b.probe("source").says(1);
    if (backwards) std::reverse(programs_.begin(), programs_.end());
    const auto start_services = [&] {
      for (const auto& [name, f] : services_) b.sim().spawn_service(name, f);
    };
    if (!backwards) start_services();
    for (const auto& [name, f] : programs_) b.program(name, f);
    if (backwards) start_services();
    for (const auto& [address, when] : writes_) {
      const std::uint64_t to = address;
      b.at(when - flight, [this, to] { b.probe("source").write(to, 8_B); });
    }
  }

  using Named = std::pair<std::string, std::function<void(Fiber&)>>;
  static net::PortSpec on_chip(const std::string& name) {
    net::PortSpec p = port(name);
    p.protocol = "on_chip";
    return p;
  }
  std::vector<Named> programs_;
  std::vector<Named> services_;
  std::vector<std::pair<std::uint64_t, Time>> writes_;
  std::vector<std::string> text_;
};

/// What a bench that `set_up` has filled tells, in every order in which the kernel may run it; one line each if they
/// differ.
inline std::string in_any_order(const std::function<void(CoreBench&)>& set_up) {
  std::vector<std::string> all;
  for (const bool backwards : {false, true})
    for (const bool reverse : {false, true})
      for (const bool delay : {false, true})
        all.push_back(in_child([&] {
          CoreBench bench;
          set_up(bench);
          return bench.run(backwards, reverse, delay);
        }));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return fmt::format("{}", fmt::join(all, "\n"));
}

}  // namespace tsunagi::test
