// SPDX-License-Identifier: Apache-2.0
#include "cluster/program.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "config/error_at.hpp"
#include "models/libraries/catalog.hpp"
#include "units/parse.hpp"

namespace tsunagi {

namespace {

constexpr Bytes page = 4_KiB;

std::string name_of_rank(int rank) { return "rank " + std::to_string(rank); }

}  // namespace

Program::Program(const RunConfig& run, Machine& machine)
    : machine_(machine), library_(libraries::build(run.library, machine)) {
  if (library_->ranks() > sim::Simulation::most_programs)
    throw config::error_at("/machine", std::to_string(library_->ranks()) +
                                           " ranks: the simulation kernel has stacks for " +
                                           std::to_string(sim::Simulation::most_programs));
  world_ = std::make_unique<comm::World>(*library_);
  world_->set_box(machine.box());
  if (run.scenario.empty()) {
    lend_scratch();
  } else {
    scenario_ = scenarios::build(run.scenario);
    check_fit();
  }
}

void Program::check_fit() const {
  if (scenario_->ranks() > library_->ranks())
    throw config::error_at("/scenario", "needs " + std::to_string(scenario_->ranks()) + " ranks, the library has " +
                                            std::to_string(library_->ranks()));
  scenario_->place(*world_);
  const Bytes footprint = scenario_->footprint(library_->ranks());
  const Bytes window = library_->largest_message();
  if (footprint > window)
    throw config::error_at("/scenario", "uses " + to_string(footprint) +
                                            " of each rank's buffer, but the window holds " + to_string(window));
  scenario_->fit(*world_);
  const Bytes scratch = scenario_->scratch(library_->ranks());
  const Bytes begin = page * units_of(footprint, page);
  if (scratch > Bytes::zero() && begin + scratch > window)
    throw config::error_at("/scenario",
                           "uses " + to_string(footprint) + " of each rank's buffer and " + to_string(scratch) +
                               " behind it for its collectives, but the window holds " + to_string(window));
  world_->set_scratch(begin, scratch);
}

/// Programs that others write know nothing of it: it lies at the end of what they have.
void Program::lend_scratch() const {
  const Bytes window = library_->largest_message();
  const Bytes size = std::min(16_MiB, Bytes(window.count() / 4));
  world_->set_scratch(Bytes((window - size).count() / page.count() * page.count()), size);
}

void Program::listen(Observer& observer) {
  observer.begin(machine_, *library_);
  machine_.listen(observer.stages());
  library_->set_listener(observer.calls());
  world_->set_listener(observer.calls());
}

void Program::start_scenario(report::Recorder& recorder) {
  scenario_->declare(recorder, *library_);
  recorder.take_accounts([this] { return accounts_of(*library_); });
  recorder.take_wires(meter_);
  for (int r = 0; r < library_->ranks(); ++r)
    start(r, [this, &recorder](comm::Rank& rank) { scenario_->program(rank, recorder); });
}

void Program::start(int rank, std::function<void(comm::Rank&)> body) {
  if (rank < 0 || rank >= library_->ranks())
    throw config::error_at("/library", "rank " + std::to_string(rank) + " is to run a program, but there are " +
                                           std::to_string(library_->ranks()) + " ranks");
  machine_.simulation().spawn(name_of_rank(rank), [this, rank, body = std::move(body)](comm::Fiber& fiber) {
    comm::Rank r(*world_, fiber, rank);
    body(r);
    world_->finish(fiber, rank);
  });
}

/// Says who waits for whom when nothing can move any more.
void Program::report_stuck(const std::string& stopped) const {
  const sim::Simulation& sim = machine_.simulation();
  std::string text = stopped.empty() ? "no progress is possible any more at " + to_string(sim.now()) : stopped;
  std::map<std::string, int> ranks;
  for (int r = 0; r < library_->ranks(); ++r) ranks.emplace(name_of_rank(r), r);
  for (const sim::Stuck& s : sim.unfinished()) {
    text += "\n  " + s.who + " waits for " + (s.waits_for.empty() ? "time to pass" : s.waits_for);
    const auto rank = ranks.find(s.who);
    const std::string call = rank == ranks.end() ? "" : world_->calls().text(rank->second);
    if (!call.empty()) text += ", " + call;
  }
  for (const std::string& s : world_->leftovers()) text += "\n  " + s;
  for (const std::string& s : machine_.blocked()) text += "\n  " + s;
  if (sim.shares_kernel())  // what others' models have under way
    for (const std::string& s : machine_.leftovers()) text += "\n  " + s;
  if (const std::string circle = world_->calls().circle(); !circle.empty()) text += "\n" + circle;
  if (const std::string advice = stopped.empty() ? library_->advice() : ""; !advice.empty()) text += "\n" + advice;
  throw std::runtime_error(text);
}

void Program::check_ended(const std::string& stopped) const {
  if (!stopped.empty() || !machine_.simulation().unfinished().empty()) report_stuck(stopped);
  std::string text;
  for (const std::string& s : machine_.leftovers()) text += "\n  " + s;
  for (const std::string& s : world_->leftovers()) text += "\n  " + s;
  if (!text.empty()) throw std::runtime_error("the run ended, but not all came home:" + text);
}

}  // namespace tsunagi
