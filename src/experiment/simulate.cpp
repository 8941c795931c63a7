// SPDX-License-Identifier: Apache-2.0
#include "experiment/simulate.hpp"

#include "cluster/program.hpp"
#include "machine/machine.hpp"
#include "models/catalog.hpp"
#include "runner/oversight.hpp"
#include "topo/graph.hpp"
#include "units/parse.hpp"

namespace tsunagi::experiment {

namespace {

/// False: somebody has stopped it.
bool run_to_end(sim::Simulation& sim, const Program& program, Time limit) {
  try {
    const bool in_time = sim.run(limit);
    program.check_ended(in_time ? "" : "the run is not over at its limit of simulated time, " + to_string(limit));
    return true;
  } catch (const sim::Stopped&) {
    return false;
  }
}

/// Runs the machine's ranks to their end and checks what then must hold; tells `out` what is wrong with the rows.
void run_ranks(sim::Simulation& sim, Machine& machine, const RunConfig& run, report::Recorder& recorder,
               Observer* observer, runner::Counts& out) {
  Program program(run, machine);
  if (observer != nullptr) program.listen(*observer);
  program.start_scenario(recorder);
  out.stopped = !run_to_end(sim, program, run.options.limit_simulated_time);
  recorder.end_accounts();
  out.problems = recorder.judge();
  if (observer != nullptr && out.problems.empty() && !out.stopped) observer->end(sim.now());
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
  // A machine alone is for anybody, also for a program that embeds it.
  sim::Simulation sim("tsunagi", run.library.empty() ? sim::Kernel::shared : sim::Kernel::own);
  Machine machine = built(sim, run, {}, run.options.max_train);
  if (run.library.empty()) return;
  const Program program(run, machine);
}

void with_refusal(const RunConfig& run, const std::function<void(const Refusal&)>& f) {
  RunConfig bare = run;
  bare.scenario = {};
  sim::Simulation sim;
  Machine machine = built(sim, bare, {}, bare.options.max_train);
  Program program(bare, machine);
  f([&program](const config::AnyConfig& scenario) -> std::string {
    try {
      program.replace_scenario(scenario);
      return {};
    } catch (const config::ConfigError& e) {
      return e.messages().front().text;
    }
  });
}

void with_library(const RunConfig& run, const std::function<void(const comm::Library&)>& f) {
  sim::Simulation sim;
  Machine machine = built(sim, run, {}, run.options.max_train);
  const Program program(run, machine);
  f(program.library());
}

runner::Counts simulate(const RunConfig& run, const std::string& findings, report::Recorder& recorder,
                        Observer* observer, bool counters) {
  sim::Simulation sim;
  return simulate(sim, run, findings, recorder, observer, counters);
}

runner::Counts simulate(sim::Simulation& sim, const RunConfig& run, const std::string& findings,
                        report::Recorder& recorder, Observer* observer, bool counters) {
  if (runner::Oversight* by = runner::overseen()) sim.oversee(by->simulated_fs, by->stop);
  Machine machine = built(sim, run, findings, observer == nullptr ? run.options.max_train : 1);
  const net::Foresight& foresight = machine.foresight();
  runner::Counts out;
  try {
    run_ranks(sim, machine, run, recorder, observer, out);
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

}  // namespace tsunagi::experiment
