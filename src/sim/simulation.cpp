// SPDX-License-Identifier: Apache-2.0
#include "sim/simulation.hpp"

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <optional>
#include <stdexcept>
#include <utility>

#include "sim/module.hpp"
#include "sim/processes.hpp"

namespace tsunagi::sim {

namespace {

/// Every time is a whole number of femtoseconds. The kernel lets nobody choose once there is an sc_time.
void choose_resolution() {
  try {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  } catch (const sc_core::sc_report&) {
    if (sc_core::sc_get_time_resolution() == sc_core::sc_time(1, sc_core::SC_FS)) return;
    throw std::runtime_error("the time resolution of SystemC is " + sc_core::sc_get_time_resolution().to_string() +
                             " and can no longer be chosen; begin sc_main with "
                             "sc_core::sc_set_time_resolution(1, sc_core::SC_FS), before the first sc_time");
  }
}

/// What anybody reports by SystemC's means; stdout belongs to results.
void report_to_stderr(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  if ((actions & sc_core::SC_DISPLAY) != 0)
    std::fprintf(stderr, "%s\n", sc_core::sc_report_compose_message(report).c_str());
  sc_core::sc_report_handler::default_handler(report, actions & ~static_cast<sc_core::sc_actions>(sc_core::SC_DISPLAY));
}

}  // namespace

struct Simulation::Impl {
  /// Rings behind the arrivals of its time, and lets one go on of those that wait for them.
  struct Settled final : Alarm {
    Settled() : Alarm(Phase::grant) {}
    void ring() override {
      Event* next = waiting.front();
      waiting.pop_front();
      next->notify();
    }
    std::deque<Event*>
        waiting;  // in the order in which they came; not empty: it is armed, or one that it woke is to run
  };

  Impl(Simulation& sim, const std::string& name, Kernel kernel)
      : construction(ModuleName(name, "simulation")),
        root(sim, *construction),
        processes("agenda", sim.agenda_, kernel) {}

  std::optional<ModuleName> construction;  // until all is built
  Module root;
  Processes processes;
  Settled settled;
};

Simulation::Simulation(const std::string& name, Kernel kernel) {
  if (kernel == Kernel::own) {
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    sc_core::sc_report_handler::set_handler(report_to_stderr);
  }
  choose_resolution();
  impl_ = std::make_unique<Impl>(*this, name, kernel);
  root_name_ = impl_->root.full_name();
}

Simulation::~Simulation() = default;

const Module& Simulation::root() const { return impl_->root; }

// Cold: what else the linker makes of a packet-hop's small functions is then as without it (docs/decisions.md).
[[gnu::cold]] void Simulation::settle(Fiber& f) {
  // Programs that have yet to go on at this instant are behind all that is told of it.
  const auto told = [&] { return agenda_.next() > f.now() || agenda_.next_resumes(); };
  if (told()) return;
  Impl::Settled& settled = impl_->settled;
  Event turn;
  settled.waiting.push_back(&turn);
  for (;;) {
    agenda_.arm_by(settled, f.now());
    f.wait(turn, "what arrives at this instant");
    if (told()) break;
    settled.waiting.push_front(&turn);  // somebody who had not waited went on meanwhile
  }
  // What it is going to do may arrive at this instant, too: the next one looks behind that.
  if (!settled.waiting.empty()) agenda_.arm_by(settled, f.now());
}

bool Simulation::shares_kernel() const { return impl_->processes.kernel() == Kernel::shared; }
void Simulation::end_construction() { impl_->construction.reset(); }

void Simulation::spawn(std::string name, std::function<void(Fiber&)> body) {
  impl_->processes.add(std::move(name), std::move(body), false, Stack::small);
}

void Simulation::spawn_service(std::string name, std::function<void(Fiber&)> body, Stack stack) {
  impl_->processes.add(std::move(name), std::move(body), true, stack);
}

void Simulation::oversee(std::atomic<std::int64_t>& now, const std::atomic<bool>& stop) {
  impl_->processes.oversee(now, stop);
}

bool Simulation::run(Time limit) {
  end_construction();
  return impl_->processes.run(limit);
}

bool Simulation::ended() const {
  impl_->processes.rethrow();
  return impl_->processes.ended();
}

std::uint64_t Simulation::kernel_passes() const { return impl_->processes.passes(); }

std::vector<Stuck> Simulation::unfinished() const { return impl_->processes.unfinished(); }

void Simulation::complain(const std::string& what) {
  if (!shares_kernel()) throw std::runtime_error(what);
  constexpr int told = 10;
  if (++complaints_ <= told) SC_REPORT_WARNING("tsunagi", what.c_str());
  if (complaints_ == told) SC_REPORT_WARNING("tsunagi", "further such warnings are only counted");
}

int Simulation::held() const { return impl_->processes.held(); }

void Simulation::delay_alarms(bool on) { impl_->processes.delay_alarms(on); }

Visit::Visit(Simulation& simulation) : simulation_(simulation) {
  simulation.impl_->processes.admit();
  resumed(simulation);
}

Visit::Visit(Simulation& simulation, Fiber& fiber) : simulation_(simulation) {
  simulation.impl_->processes.admit(fiber);
}

Visit::~Visit() { simulation_.impl_->processes.paused(); }

void Visit::resumed(Simulation& simulation) { simulation.impl_->processes.synchronise(); }

}  // namespace tsunagi::sim
