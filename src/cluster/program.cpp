// SPDX-License-Identifier: Apache-2.0
#include "cluster/program.hpp"

#include <stdexcept>
#include <utility>

#include "config/error_at.hpp"
#include "models/libraries/catalog.hpp"
#include "units/parse.hpp"

namespace tsunagi {

namespace {

std::string name_of_rank(int rank) { return "rank " + std::to_string(rank); }

}  // namespace

Program::Program(const RunConfig& run, Machine& machine)
    : machine_(machine), library_(libraries::build(run.library, machine)) {
  if (library_->ranks() > sim::Simulation::most_programs)
    throw config::error_at("/machine", std::to_string(library_->ranks()) +
                                           " ranks: the simulation kernel has stacks for " +
                                           std::to_string(sim::Simulation::most_programs));
  world_ = std::make_unique<comm::World>(*library_);
  if (run.scenario.empty()) return;
  scenario_ = scenarios::build(run.scenario);
  check_fit();
}

void Program::check_fit() const {
  if (scenario_->ranks() > library_->ranks())
    throw config::error_at("/scenario", "needs " + std::to_string(scenario_->ranks()) + " ranks, the library has " +
                                            std::to_string(library_->ranks()));
  const std::vector<std::string> known = library_->methods();
  for (const std::string& m : scenario_->methods()) scenarios::check_method(m, known);
  if (scenario_->footprint() > library_->largest_message())
    throw config::error_at("/scenario", "uses " + to_string(scenario_->footprint()) +
                                            " of each rank's buffer, but the window holds " +
                                            to_string(library_->largest_message()));
  scenario_->fit(*library_);
}

/// The bounds between ranks 0 and 1, in the directions that the scenario measures, for each of the library's methods.
void Program::declare_ceilings(report::Recorder& r) const {
  using scenarios::Bounded;
  const scenarios::Scenario& s = *scenario_;
  if (library_->ranks() < 2 || s.bounded() == Bounded::no) return;
  const bool to_and_fro = s.bounded() == Bounded::to_and_fro;
  if (to_and_fro) r.to_and_fro();
  for (const std::string& method : s.methods())
    for (const int from : to_and_fro ? std::vector{0, 1} : std::vector{0})
      for (const comm::Ceiling& ceiling : library_->ceilings(from, 1 - from, s.message(method, s.footprint())))
        r.ceiling({method, ceiling.name, ceiling.rate, ceiling.burst, from == 1});
}

void Program::listen(Observer& observer) {
  observer.begin(machine_, *library_);
  machine_.listen(observer.stages());
  library_->set_listener(observer.calls());
  world_->set_listener(observer.calls());
}

void Program::start_scenario(report::Recorder& recorder) {
  scenario_->declare(recorder);
  declare_ceilings(recorder);
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
  for (const sim::Stuck& s : sim.unfinished()) {
    text += "\n  " + s.who + " waits for " + (s.waits_for.empty() ? "time to pass" : s.waits_for);
    for (int r = 0; r < library_->ranks(); ++r)
      if (s.who == name_of_rank(r))
        if (const std::string call = world_->calls().text(r); !call.empty()) text += ", " + call;
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
