// SPDX-License-Identifier: Apache-2.0
#include "app/simulate.hpp"

#include <stdexcept>

#include "config/error_at.hpp"
#include "machine/machine.hpp"
#include "models/catalog.hpp"
#include "models/libraries/catalog.hpp"
#include "scenarios/scenario.hpp"
#include "topo/graph.hpp"
#include "units/parse.hpp"

namespace tsunagi {

namespace {

void check_fit(scenarios::Scenario& s, comm::Communicator& c) {
  if (c.ranks() > sim::Simulation::most_programs)
    throw config::error_at("/machine", std::to_string(c.ranks()) + " ranks: the simulation kernel has stacks for " +
                                           std::to_string(sim::Simulation::most_programs));
  if (s.ranks() > c.ranks())
    throw config::error_at(
        "/scenario", "needs " + std::to_string(s.ranks()) + " ranks, the library has " + std::to_string(c.ranks()));
  const std::vector<std::string> known = c.methods();
  for (const std::string& m : s.methods()) scenarios::check_method(m, known);
  if (s.footprint() > c.largest_message())
    throw config::error_at("/scenario", "uses " + to_string(s.footprint()) +
                                            " of each rank's buffer, but the window holds " +
                                            to_string(c.largest_message()));
  s.fit(c);
}

/// The bounds between ranks 0 and 1, in the directions that the scenario measures, for each of the library's methods.
void declare_ceilings(const comm::Communicator& c, const scenarios::Scenario& s, report::Recorder& r) {
  using scenarios::Bounded;
  if (c.ranks() < 2 || s.bounded() == Bounded::no) return;
  const bool to_and_fro = s.bounded() == Bounded::to_and_fro;
  if (to_and_fro) r.to_and_fro();
  for (const std::string& method : s.methods())
    for (const int from : to_and_fro ? std::vector{0, 1} : std::vector{0})
      for (const comm::Ceiling& ceiling : c.ceilings(from, 1 - from, s.message(method, s.footprint())))
        r.ceiling({method, ceiling.name, ceiling.rate, ceiling.burst, from == 1});
}

/// Says who waits for whom when nothing can move any more.
[[noreturn]] void report_stuck(const sim::Simulation& sim, const Machine& m, const comm::Communicator& c, bool at_limit,
                               Time limit) {
  std::string text = at_limit ? "the run is not over at its limit of simulated time, " + to_string(limit)
                              : "no progress is possible any more at " + to_string(sim.now());
  for (const sim::Stuck& s : sim.unfinished())
    text += "\n  " + s.who + " waits for " + (s.waits_for.empty() ? "time to pass" : s.waits_for);
  for (const std::string& s : m.blocked()) text += "\n  " + s;
  if (const std::string advice = at_limit ? "" : c.advice(); !advice.empty()) text += "\n" + advice;
  throw std::runtime_error(text);
}

void check_conservation(Machine& m) {
  std::string text;
  for (const std::string& s : m.leftovers()) text += "\n  " + s;
  if (!text.empty()) throw std::runtime_error("the run ended, but not all came home:" + text);
}

/// What runs on a machine. Built, and checked as far as can be before time 0.
struct Program {
  Program(const RunConfig& run, Machine& machine)
      : library(libraries::build(run.library, machine)), scenario(scenarios::build(run.scenario)) {
    check_fit(*scenario, *library);
  }
  std::unique_ptr<comm::Communicator> library;
  std::unique_ptr<scenarios::Scenario> scenario;
};

/// Runs the machine's ranks to their end and checks what then must hold. Returns what is wrong with the rows.
std::vector<std::string> run_to_end(sim::Simulation& sim, Machine& machine, const RunConfig& run,
                                    report::Recorder& recorder, Observer* observer) {
  const Program program(run, machine);
  const auto& library = program.library;  // no structured binding: programs capture them
  const auto& scenario = program.scenario;
  if (observer != nullptr) {
    observer->begin(machine, *library);
    machine.listen(observer->stages());
    library->set_listener(observer->calls());
  }
  scenario->declare(recorder);
  declare_ceilings(*library, *scenario, recorder);
  for (int r = 0; r < library->ranks(); ++r)
    sim.spawn("rank " + std::to_string(r), [&, r](comm::Fiber& fiber) {
      comm::Rank rank(*library, fiber, r);
      scenario->program(rank, recorder);
    });
  const bool ended = sim.run(run.options.limit_simulated_time);
  if (!ended || !sim.unfinished().empty())
    report_stuck(sim, machine, *library, !ended, run.options.limit_simulated_time);
  check_conservation(machine);
  std::vector<std::string> problems = recorder.judge();
  if (observer != nullptr && problems.empty()) observer->end(sim.now());
  return problems;
}

report::Rows counters_of(const Machine& machine) {
  report::Rows out;
  for (const auto& wire : machine.wires())
    for (const net::Channel* channel : {&wire->forward(), &wire->backward()}) {
      const net::ChannelInfo info = channel->info();
      const net::ChannelCounters& c = channel->counters();
      out.rows.emplace_back()
          .text("from", info.from_device + "." + info.from_port)
          .text("to", info.to_device + "." + info.to_port)
          .count("packets", c.packets)
          .bytes("payload", c.payload)
          .bytes("header", c.header)
          .bytes("framing", c.framing)
          .count("dllps", c.dllps)
          .count("replays", c.replays)
          .count("dropped", c.dropped)
          .time("credit_wait", c.credit_wait);
    }
  return out;
}

Machine built(sim::Simulation& sim, const RunConfig& run, const std::string& findings, int max_train) {
  return {sim,
          topo::build(run.machine.topology),
          model_catalog(),
          static_cast<std::uint64_t>(run.options.seed),
          max_train,
          findings};
}

}  // namespace

void elaborate(const RunConfig& run) {
  sim::Simulation sim;
  Machine machine = built(sim, run, {}, run.options.max_train);
  if (run.library.empty()) return;
  const Program program(run, machine);
}

runner::Counts simulate(const RunConfig& run, const std::string& findings, report::Recorder& recorder,
                        Observer* observer, bool counters) {
  sim::Simulation sim;
  return simulate(sim, run, findings, recorder, observer, counters);
}

runner::Counts simulate(sim::Simulation& sim, const RunConfig& run, const std::string& findings,
                        report::Recorder& recorder, Observer* observer, bool counters) {
  Machine machine = built(sim, run, findings, observer == nullptr ? run.options.max_train : 1);
  const net::Foresight& foresight = machine.foresight();
  runner::Counts out;
  try {
    out.problems = run_to_end(sim, machine, run, recorder, observer);
  } catch (const net::Foresight::Refuted&) {
  } catch (...) {
    if (!foresight.refuted()) throw;  // else it may be wrong, too
  }
  out.wakeups = sim.agenda().wakeups();
  out.packet_hops = machine.packet_hops();
  out.simulated = sim.now();
  if (foresight.refuted()) {
    out.findings = foresight.findings();
    out.problems.clear();
  }
  if (counters) out.counters = counters_of(machine);
  return out;
}

}  // namespace tsunagi
