// SPDX-License-Identifier: Apache-2.0
#include "figures/sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "figures/changed_runs.hpp"
#include "runner/places.hpp"

namespace tsunagi::figures {
namespace {

/// Why a changed run gives nothing; one line.
std::string why(const runner::Outcome& outcome) {
  if (!outcome.config_errors.empty()) {
    const config::Message& first = outcome.config_errors.front();
    return fmt::format("{}: {}", first.pointer, first.text);  // line and column are of the resolved config
  }
  return outcome.messages.empty() ? "failed" : first_line(outcome.messages.front());
}

/// A run that is refused as it is has a place in its file.
void throw_if_refused(const RunPlan& plan, const ChangedRuns& runs) {
  for (std::size_t run = 0; run < plan.configs().size(); ++run)
    if (runs.now(run).status == runner::Status::config_error)
      throw config::ConfigError(runner::located(runs.now(run).config_errors, plan.document(run)));
}

}  // namespace

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

Sensitivity sensitivity(const std::vector<FigureEntry>& figures, const config::Kinds& kinds,
                        const runner::Simulate& simulate, const runner::Options& options, bool every_run) {
  std::vector<FigureEntry> with_runs;
  std::copy_if(figures.begin(), figures.end(), std::back_inserter(with_runs),
               [](const FigureEntry& entry) { return has_run(entry.figure); });
  const RunPlan plan(with_runs, kinds);
  Sensitivity all;
  all.parameters = parameters_of(plan);
  all.changes = changes_of(all.parameters);
  ChangedRuns runs(plan, all.parameters, all.changes);
  all.interrupted = !runs.simulate(kinds, simulate, options, every_run);
  all.runs = runs.size();
  all.spared = runs.spared();
  if (all.interrupted) return all;

  throw_if_refused(plan, runs);
  for (std::size_t change = 0; change < all.changes.size(); ++change)
    if (const runner::Outcome* broken = runs.broken_by(change)) all.faults.push_back({change, why(*broken)});
  for (std::size_t i = 0; i < with_runs.size(); ++i) {
    FigureMoves& figure = all.figures.emplace_back();
    figure.entry = with_runs[i];
    Simulated now = simulated_value(figure.entry, runs.now_of(i));
    figure.now = now.value;
    figure.why = std::move(now.why);
    for (std::size_t change = 0; change < all.changes.size(); ++change) {
      const auto its = runs.changed_of(i, change);
      figure.simulated.push_back(its.empty() ? std::nullopt : simulated_value(figure.entry, its).value);
    }
  }
  return all;
}

Spread spread_of(const Sensitivity& all, const FigureMoves& figure, Over over) {
  Spread out;
  out.low = out.high = *figure.now;
  double farthest = 0;
  for (std::size_t change = 0; change < all.changes.size(); ++change) {
    const bool counts = over == Over::ends ? all.changes[change].is_end : all.changes[change].is_tenth;
    if (!counts || !figure.simulated[change]) continue;
    const double value = *figure.simulated[change];
    out.low = std::min(out.low, value);
    out.high = std::max(out.high, value);
    const double distance = std::abs(value - *figure.now);
    if (distance > farthest) {
      farthest = distance;
      out.most = change;
    }
    if (!agrees(figure.entry.figure, value)) out.out.push_back(change);
  }
  return out;
}

std::vector<std::size_t> unmoving(const Sensitivity& all) {
  std::vector<bool> changed(all.parameters.size());
  std::vector<bool> moves(all.parameters.size());
  for (const FigureMoves& figure : all.figures)
    for (std::size_t change = 0; change < all.changes.size(); ++change) {
      if (!figure.now || !figure.simulated[change]) continue;
      const std::size_t parameter = all.changes[change].parameter;
      changed[parameter] = true;
      if (*figure.simulated[change] != *figure.now) moves[parameter] = true;
    }
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < moves.size(); ++i)
    if (changed[i] && !moves[i]) out.push_back(i);
  return out;
}

}  // namespace tsunagi::figures
