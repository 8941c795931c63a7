// SPDX-License-Identifier: Apache-2.0
#include "app/commands/diff_stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <thread>

#include "app/commands/row_alone.hpp"
#include "app/shell/progress.hpp"
#include "experiment/explanation.hpp"
#include "experiment/simulation.hpp"
#include "experiment/version.hpp"

namespace tsunagi::app {
namespace {

using Json = nlohmann::ordered_json;
using compare::Row;

/// Why the run of one row alone tells nothing of it; empty: it does.
std::string fault_of(const DiffSide& side, const runner::Outcome& outcome, const Row& row) {
  if (outcome.status != runner::Status::ok)
    return fmt::format("{}: {}", side.side.name, fmt::join(outcome.messages, "; "));
  return measured(outcome, row, false) ? "" : side.side.name + " measures that row only together with others";
}

/// Whether this version still measures the row of a result: else what it explains is something else.
bool still_measured(const DiffSide& side, const Row& row, bool& interrupted) {
  if (side.is_run() || side.side.version == experiment::model_version()) return true;
  const runner::Outcome outcome = runner::run_one(run_from(*side.config, side.side.name), experiment::simulation());
  interrupted = interrupted || outcome.status == runner::Status::interrupted;
  return outcome.status == runner::Status::ok && measured(outcome, row, true);
}

/// One side's row, and what explains it: what the side has of it, or a simulation.
struct Explaining {
  const DiffSide& side;
  std::size_t index;
  Json explanation = {};              ///< null: not there yet
  std::optional<RunConfig> run = {};  ///< to be simulated for it

  const Row& row() const { return side.side.table.rows[index]; }
  const Json* stored() const {
    const bool has = index < side.explanations.size() && !side.explanations[index].is_null();
    return has ? &side.explanations[index] : nullptr;
  }
  bool can_tell() const { return stored() != nullptr || side.config.has_value(); }

  /// Takes what is stored, or finds the run. False: interrupted. Throws config::ConfigError.
  bool prepare(std::string& why_not) {
    if (stored() != nullptr) {
      explanation = *stored();
      return true;
    }
    bool interrupted = false;
    if (!still_measured(side, row(), interrupted))
      why_not = "this version does not measure what " + side.side.name + " says";
    run = row_alone(*side.config, side.side.name, row());
    return !interrupted;
  }
};

/// Simulates those that have a run. False: interrupted.
bool simulate(std::array<Explaining, 2>& both, std::string& why_not) {
  std::vector<RunConfig> runs;
  std::vector<Explaining*> of;
  for (Explaining& one : both)
    if (one.run) {
      runs.push_back(*one.run);
      of.push_back(&one);
    }
  runner::Options options = diff_options();
  const auto outcomes = [&] {
    const RunProgress progress(options);
    return runner::run_many(runs, experiment::explaining(0, true), options);
  }();
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].status == runner::Status::interrupted) return false;
    if (why_not.empty()) why_not = fault_of(of[i]->side, outcomes[i], of[i]->row());
    if (why_not.empty()) of[i]->explanation = Json::parse(outcomes[i].report);
  }
  return true;
}

/// The rows that moved most of those that both sides can explain.
std::optional<compare::RowPair> most_moved(const DiffSide& a, const DiffSide& b, const compare::RowsDifference& rows) {
  compare::RowsDifference told = rows;
  told.rows.erase(std::remove_if(told.rows.begin(), told.rows.end(),
                                 [&](const compare::RowPair& p) {
                                   return !Explaining{a, p.a}.can_tell() || !Explaining{b, p.b}.can_tell();
                                 }),
                  told.rows.end());
  const auto most = compare::largest(told);
  return most && most->is_measured ? std::optional(told.rows[most->pair]) : std::nullopt;
}

}  // namespace

runner::Options diff_options() {
  runner::Options out;
  out.jobs = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 2u));
  return out;
}

bool explain_moved(const DiffSide& a, const DiffSide& b, compare::Report& report) {
  const auto pair = most_moved(a, b, report.rows);
  if (!pair) return true;
  std::array<Explaining, 2> both{{{a, pair->a}, {b, pair->b}}};
  try {
    for (Explaining& one : both)
      if (!one.prepare(report.why_no_stages)) return false;
  } catch (const config::ConfigError& e) {
    report.why_no_stages = fmt::format("this version cannot read a config: {}", e.messages().front().line());
  }
  if (!report.why_no_stages.empty()) return true;
  if (!simulate(both, report.why_no_stages)) return false;
  if (!report.why_no_stages.empty()) return true;
  try {
    report.stages = compare::stage_differences(both[0].explanation, both[1].explanation);
  } catch (const Json::exception&) {  // a result may hold anything
    report.why_no_stages = "what explains that row is not as `run --explain` writes it";
    return true;
  }
  report.stages_of = compare::name_of(both[0].row(), report.rows.keys);
  return true;
}

}  // namespace tsunagi::app
