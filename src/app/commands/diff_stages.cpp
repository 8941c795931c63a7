// SPDX-License-Identifier: Apache-2.0
#include "app/commands/diff_stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "app/shell/progress.hpp"
#include "cluster/catalogs.hpp"
#include "experiment/explanation.hpp"
#include "experiment/simulation.hpp"
#include "experiment/version.hpp"
#include "report/formats/json.hpp"

namespace tsunagi::app {
namespace {

using Json = nlohmann::ordered_json;
using compare::Row;

/// A list of a scenario, and the column that says of a row which of its values it is of.
struct Listed {
  const char* list;
  const char* column;
};
constexpr Listed lists[] = {{"sizes", "size_bytes"},
                            {"methods", "method"},
                            {"algorithms", "algorithm"},
                            {"counts", "count"},
                            {"scales", nullptr}};

/// What makes the run measure one row alone.
std::vector<config::Override> narrowed_to(const Row& row, const Json& scenario) {
  std::vector<config::Override> out;
  for (const Listed& l : lists) {
    if (!scenario.contains(l.list) || !scenario[l.list].is_array() || scenario[l.list].size() < 2) continue;
    const compare::Value* value = l.column == nullptr ? nullptr : compare::find(row, l.column);
    Json one = value == nullptr ? scenario[l.list].front() : compare::to_json(*value);
    if (value != nullptr && std::string(l.column) == "size_bytes") one = one.dump() + " B";
    out.push_back(
        {std::string("/scenario/") + l.list, Json::array({one}).dump(-1, ' ', false, Json::error_handler_t::replace)});
  }
  return out;
}

/// Whether a run measured that row; `exactly`: also its times and rates.
bool measured(const runner::Outcome& outcome, const Row& row, bool exactly) {
  const auto is_measured = [](const compare::Cell& c) {
    return compare::is_time_or_rate(c.column) || std::holds_alternative<double>(c.value);
  };
  const compare::Table table = compare::table_of(report::rows_to_json(outcome.rows));
  return std::any_of(table.rows.begin(), table.rows.end(), [&](const Row& now) {
    return std::all_of(row.begin(), row.end(), [&](const compare::Cell& c) {
      const compare::Value* value = compare::find(now, c.column);
      return (!exactly && is_measured(c)) || value == nullptr || *value == c.value;
    });
  });
}

/// The run of a side as this version reads it. Throws config::ConfigError.
RunConfig run_from(const DiffSide& side, const std::vector<config::Override>& overrides) {
  const std::string text = side.config->dump(2, ' ', false, Json::error_handler_t::replace);
  return config::read<RunConfig>(config::parse(text, side.side.name, overrides), all_kinds());  // warnings were told
}

RunConfig narrowed(const DiffSide& side, const Row& row) {
  return run_from(side, narrowed_to(row, side.config->value("scenario", Json::object())));
}

/// Why the run of one row alone tells nothing of it; empty: it does.
std::string fault_of(const DiffSide& side, const runner::Outcome& outcome, const Row& row) {
  if (outcome.status != runner::Status::ok)
    return fmt::format("{}: {}", side.side.name, fmt::join(outcome.messages, "; "));
  return measured(outcome, row, false) ? "" : side.side.name + " measures that row only together with others";
}

/// Whether this version still measures the row of a result: else what it explains is something else.
bool still_measured(const DiffSide& side, const Row& row, bool& interrupted) {
  if (side.is_run() || side.side.version == experiment::model_version()) return true;
  const runner::Outcome outcome = runner::run_one(run_from(side, {}), experiment::simulation());
  interrupted = interrupted || outcome.status == runner::Status::interrupted;
  return outcome.status == runner::Status::ok && measured(outcome, row, true);
}

}  // namespace

runner::Options diff_options() {
  runner::Options out;
  out.jobs = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 2u));
  return out;
}

bool explain_moved(const DiffSide& a, const DiffSide& b, compare::Report& report) {
  const auto most = compare::largest(report.rows);
  if (!most || !most->is_measured || !a.config || !b.config) return true;
  const compare::RowPair& pair = report.rows.rows[most->pair];
  const Row& row_a = a.side.table.rows[pair.a];
  const Row& row_b = b.side.table.rows[pair.b];
  std::vector<RunConfig> runs;
  try {
    bool interrupted = false;
    for (const auto& [side, row] : {std::pair(&a, &row_a), std::pair(&b, &row_b)}) {
      if (!still_measured(*side, *row, interrupted))
        report.why_no_stages = "this version does not measure what " + side->side.name + " says";
      runs.push_back(narrowed(*side, *row));
    }
    if (interrupted) return false;
  } catch (const config::ConfigError& e) {
    report.why_no_stages = fmt::format("this version cannot read a config: {}", e.messages().front().line());
  }
  if (!report.why_no_stages.empty()) return true;
  runner::Options options = diff_options();
  const auto outcomes = [&] {
    const RunProgress progress(options);
    return runner::run_many(runs, experiment::explaining(0, true), options);
  }();
  for (const runner::Outcome& outcome : outcomes)
    if (outcome.status == runner::Status::interrupted) return false;
  report.why_no_stages = fault_of(a, outcomes[0], row_a);
  if (report.why_no_stages.empty()) report.why_no_stages = fault_of(b, outcomes[1], row_b);
  if (!report.why_no_stages.empty()) return true;
  report.stages = compare::stage_differences(Json::parse(outcomes[0].report), Json::parse(outcomes[1].report));
  report.stages_of = compare::name_of(row_a, report.rows.keys);
  return true;
}

}  // namespace tsunagi::app
