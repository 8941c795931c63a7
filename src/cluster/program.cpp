// SPDX-License-Identifier: Apache-2.0
#include "cluster/program.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "config/error_at.hpp"
#include "models/libraries/catalog.hpp"
#include "units/parse.hpp"

namespace tsunagi {

namespace {

constexpr Bytes page = 4_KiB;

const std::string rank_prefix = "rank ";

std::string name_of_rank(int rank) { return rank_prefix + std::to_string(rank); }

/// Of a program's name; none: it is no rank's.
std::optional<int> rank_of(const std::string& program) {
  if (program.rfind(rank_prefix, 0) != 0) return std::nullopt;
  return std::stoi(program.substr(rank_prefix.size()));
}

/// World::loss.
std::string loss_in(const Machine& m) {
  for (const auto& wire : m.wires())
    for (const net::Channel* way : {&wire->forward(), &wire->backward()}) {
      if (way->wire().flow_control == net::FlowPolicy::none)
        return "the wire " + wire->ends() + " drops what a buffer has no room for";
      if (way->wire().bit_error_rate > 0) return "the wire " + wire->ends() + " has bit errors";
    }
  return {};
}

}  // namespace

Program::Program(const RunConfig& run, Machine& machine)
    : machine_(machine), library_(libraries::build(run.library, machine)) {
  if (library_->ranks() > sim::Simulation::most_programs)
    throw config::error_at("/machine", std::to_string(library_->ranks()) +
                                           " ranks: the simulation kernel has stacks for " +
                                           std::to_string(sim::Simulation::most_programs));
  replace_scenario(run.scenario);
}

void Program::replace_scenario(const config::AnyConfig& scenario) {
  scenario_.reset();  // it may know the world
  world_ = std::make_unique<comm::World>(*library_);
  world_->set_box(machine_.box());
  world_->set_loss(loss_in(machine_));
  if (scenario.empty()) {
    lend_scratch();
  } else {
    scenario_ = scenarios::build(scenario);
    check_fit();
  }
}

void Program::check_fit() const {
  if (scenario_->ranks() > library_->ranks())
    throw config::error_at("/scenario", "needs " + std::to_string(scenario_->ranks()) + " ranks, the library has " +
                                            std::to_string(library_->ranks()));
  const bool delivers = library_->delivers() && (library_->halo() == nullptr || library_->halo()->delivers());
  if (!delivers && !scenario_->bears_loss())
    throw config::error_at("/scenario",
                           "waits for messages that the library may lose (\"loss\": \"count\"); \"traffic\" does not");
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
  if (library_->halo() != nullptr) library_->halo()->set_listener(observer.calls());
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
  world_->add_program();
  machine_.simulation().spawn(name_of_rank(rank), [this, rank, body = std::move(body)](Fiber& fiber) {
    comm::Rank r(*world_, fiber, rank);
    body(r);
    world_->finalize(fiber, rank);
  });
}

/// Says who waits for whom when nothing can move any more.
void Program::report_stuck(const std::string& stopped) const {
  const sim::Simulation& sim = machine_.simulation();
  std::string text = stopped.empty() ? "no progress is possible any more at " + to_string(sim.now()) : stopped;
  std::string ended;
  for (const sim::Stuck& s : sim.unfinished()) {
    const std::optional<int> rank = rank_of(s.who);
    const std::string call = rank ? world_->calls().text(*rank) : "";
    (rank && world_->finale().has(*rank) ? ended : text) += "\n  " + s.who + " waits for " +
                                                            (s.waits_for.empty() ? "time to pass" : s.waits_for) +
                                                            (call.empty() ? "" : ", " + call);
  }
  if (all_programs_ended()) text += ended;  // else those wait for the others
  for (const std::string& s : world_->leftovers()) text += "\n  " + s;
  for (const std::string& s : machine_.blocked()) text += "\n  " + s;
  if (sim.shares_kernel())  // what others' models have under way
    for (const std::string& s : machine_.leftovers()) text += "\n  " + s;
  if (const std::string circle = world_->calls().circle(); !circle.empty()) text += "\n" + circle;
  for (const comm::Library* library : {library_.get(), library_->halo()}) {
    const std::string advice = stopped.empty() && library != nullptr ? library->advice() : "";
    if (!advice.empty()) text += "\n" + advice;
  }
  throw std::runtime_error(text);
}

bool Program::all_programs_ended() const {
  const std::vector<sim::Stuck> all = machine_.simulation().unfinished();
  return std::all_of(all.begin(), all.end(), [this](const sim::Stuck& s) {
    const std::optional<int> rank = rank_of(s.who);
    return rank && world_->finale().has(*rank);
  });
}

void Program::check_ended(const std::string& stopped) const {
  if (!stopped.empty() || !all_programs_ended()) report_stuck(stopped);
  std::string text;
  for (const std::string& s : machine_.leftovers()) text += "\n  " + s;
  for (const std::string& s : world_->leftovers()) text += "\n  " + s;
  if (text.empty() && !machine_.simulation().unfinished().empty()) report_stuck(stopped);
  if (!text.empty()) throw std::runtime_error("the run ended, but not all came home:" + text);
}

}  // namespace tsunagi
