// SPDX-License-Identifier: Apache-2.0
#include "whatif/gains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "config/config.hpp"
#include "report/formats/table_layout.hpp"

namespace tsunagi::whatif {
namespace {

const Time* time_of(const report::Row& row, const std::string& column) {
  const report::Cell* cell = row.find(column);
  return cell == nullptr ? nullptr : std::get_if<Time>(cell);
}

const report::DerivedRate* find_rate(const report::Rows& rows, const std::string& column) {
  const auto found = std::find_if(rows.rates.begin(), rows.rates.end(),
                                  [&](const report::DerivedRate& rate) { return rate.name == column; });
  return found == rows.rates.end() ? nullptr : &*found;
}

/// The metric in its unit; 0 when there is none.
double value_of(const report::Rows& rows, const Metric& metric) {
  if (metric.row >= rows.rows.size()) return 0;
  const report::Row& row = rows.rows[metric.row];
  if (!metric.is_rate) {
    const Time* time = time_of(row, metric.column);
    return time == nullptr ? 0 : static_cast<double>(time->fs());
  }
  const report::DerivedRate* rate = find_rate(rows, metric.column);
  return rate == nullptr ? 0 : report::rate_of(*rate, row);
}

/// The column that the selection means in this row; empty if there is none.
std::string column_of(const report::Rows& rows, const report::Row& row, const Selection& selection) {
  if (selection.column) return *selection.column;
  if (!row.headline().column.empty()) return row.headline().column;
  if (time_of(row, "latency") != nullptr) return "latency";
  const auto largest = std::max_element(rows.rates.begin(), rows.rates.end(), [&](const auto& a, const auto& b) {
    return report::rate_of(a, row) < report::rate_of(b, row);
  });
  return largest == rows.rates.end() ? std::string() : largest->name;
}

Metric chosen(const report::Rows& rows, const Selection& selection) {
  if (rows.rows.empty()) throw std::invalid_argument("the run has no rows to compare");
  Metric metric;
  metric.row = selection.row.value_or(rows.rows.size() - 1);
  if (metric.row >= rows.rows.size())
    throw std::invalid_argument(
        fmt::format("there is no row {}: the run has {}, counted from 0", metric.row, rows.rows.size()));
  metric.column = column_of(rows, rows.rows[metric.row], selection);
  if (metric.column == rows.rows[metric.row].headline().column) metric.why = rows.rows[metric.row].headline().why;
  metric.is_rate = find_rate(rows, metric.column) != nullptr;
  if (value_of(rows, metric) <= 0)
    throw std::invalid_argument(selection.column
                                    ? fmt::format("row {} has no time or rate \"{}\"", metric.row, metric.column)
                                    : fmt::format("row {} has neither a latency nor a rate", metric.row));
  return metric;
}

/// A fault of the resolved config, in whose text a line and a column would mean nothing to anyone.
std::string told(const config::Message& message) { return fmt::format("{}: {}", message.pointer, message.text); }

/// Why a run has no rows; one line.
std::string why(const runner::Outcome& outcome) {
  if (!outcome.config_errors.empty()) return told(outcome.config_errors.front());
  return outcome.messages.empty() ? "failed" : outcome.messages.front();
}

/// What became of the run without one limit.
void judge(Gain& gain, const runner::Outcome& outcome, const Comparison& base) {
  if (outcome.status != runner::Status::ok) {
    gain.problem = why(outcome);
    return;
  }
  gain.result = value_of(outcome.rows, base.metric);
  if (gain.result <= 0)
    gain.problem = fmt::format("row {} has no {}", base.metric.row, base.metric.column);
  else
    gain.gain = base.metric.is_rate ? gain.result / base.now : base.now / gain.result;
}

/// Tells how many runs are over of all, of which so many went before and so many come behind.
runner::Options counted(runner::Options options, std::size_t before, std::size_t behind) {
  if (options.progress)
    options.progress = [before, behind, tell = options.progress](std::size_t done, std::size_t total) {
      tell(before + done, before + total + behind);
    };
  return options;
}

bool ranks_before(const Gain& a, const Gain& b) {
  const auto key = [](const Gain& g) {
    return std::tuple<bool, double, const std::string&>(!g.problem.empty(), -g.gain, g.limit.name);
  };
  return key(a) < key(b);
}

}  // namespace

Comparison measure(const RunConfig& run, const std::vector<Limit>& limits, const config::Kinds& kinds,
                   const runner::Simulate& simulate, const Selection& selection, const runner::Options& options) {
  Comparison out;
  // First by itself: what it refuses, or how it fails, is known before anything else runs.
  out.base = runner::run_one(run, simulate, counted(options, 0, limits.size()));
  out.interrupted = out.base.status == runner::Status::interrupted;
  if (out.base.status != runner::Status::ok) return out;
  out.metric = chosen(out.base.rows, selection);
  out.now = value_of(out.base.rows, out.metric);

  RunConfig config = run;
  const std::string resolved = config::resolved(config).dump();
  std::vector<RunConfig> runs;
  std::vector<Gain> gains;
  for (const Limit& limit : limits) {
    Gain& gain = gains.emplace_back();
    gain.limit = limit;
    try {
      runs.push_back(config::read<RunConfig>(config::parse(resolved, run.name, limit.overrides), kinds));
    } catch (const config::ConfigError& e) {
      gain.problem = told(e.messages().front());
    }
  }
  const std::vector<runner::Outcome> outcomes = runner::run_many(runs, simulate, counted(options, 1, 0));
  out.interrupted = std::any_of(outcomes.begin(), outcomes.end(), [](const runner::Outcome& outcome) {
    return outcome.status == runner::Status::interrupted;
  });
  if (out.interrupted) return out;
  auto outcome = outcomes.begin();
  for (Gain& gain : gains)
    if (gain.problem.empty()) judge(gain, *outcome++, out);
  std::sort(gains.begin(), gains.end(), ranks_before);
  out.gains = std::move(gains);
  return out;
}

}  // namespace tsunagi::whatif
