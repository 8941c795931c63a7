// SPDX-License-Identifier: Apache-2.0
#include "figures/sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "runner/places.hpp"
#include "runner/stream.hpp"

namespace tsunagi::figures {
namespace {

/// One run to simulate: as it is, or with a change.
struct Job {
  std::size_t run = 0;
  std::optional<std::size_t> change;
};

/// Every run as it is, then every change in the runs that have its parameter.
std::vector<Job> jobs_of(const RunPlan& plan, const Sensitivity& all) {
  std::vector<Job> out;
  for (std::size_t run = 0; run < plan.configs().size(); ++run) out.push_back({run, std::nullopt});
  for (std::size_t change = 0; change < all.changes.size(); ++change) {
    const auto& places = all.parameters[all.changes[change].parameter].places;
    for (std::size_t run = 0; run < places.size(); ++run)
      if (!places[run].empty()) out.push_back({run, change});
  }
  return out;
}

/// What the change sets in one run.
std::vector<config::Override> overrides_of(const Sensitivity& all, const Job& job) {
  std::vector<config::Override> out;
  if (!job.change) return out;
  const Change& change = all.changes[*job.change];
  for (const std::string& place : all.parameters[change.parameter].places[job.run])
    out.push_back({place, change.value});
  return out;
}

/// Simulates the jobs; their outcomes in the same order. Nothing if that was interrupted.
std::optional<std::vector<runner::Outcome>> simulated(const RunPlan& plan, const Sensitivity& all,
                                                      const std::vector<Job>& jobs, const config::Kinds& kinds,
                                                      const runner::Simulate& simulate,
                                                      const runner::Options& options) {
  std::vector<std::string> resolved;  // without "$sources", whose ranges bind
  for (RunConfig config : plan.configs()) resolved.push_back(config::resolved(config).dump());
  std::vector<runner::Outcome> outcomes(jobs.size());
  std::size_t next = 0;
  std::size_t done = 0;
  const auto task = [&]() -> std::optional<runner::Task> {
    if (next == jobs.size()) return std::nullopt;
    const std::size_t i = next++;
    const auto config = [&, i] {
      const Job& job = jobs[i];
      const std::string& name = plan.configs()[job.run].name;
      return config::read<RunConfig>(config::parse(resolved[job.run], name, overrides_of(all, job)), kinds);
    };
    const auto ended = [&, i](runner::Outcome outcome) {
      outcomes[i] = std::move(outcome);
      if (options.progress) options.progress(++done, jobs.size());
    };
    return runner::Task{config, ended};
  };
  if (options.progress) options.progress(0, jobs.size());
  if (!runner::run_stream(task, simulate, options)) return std::nullopt;
  return outcomes;
}

/// Why a changed run gives nothing; one line.
std::string why(const runner::Outcome& outcome) {
  if (!outcome.config_errors.empty()) {
    const config::Message& first = outcome.config_errors.front();
    return fmt::format("{}: {}", first.pointer, first.text);  // line and column are of the resolved config
  }
  return outcome.messages.empty() ? "failed" : first_line(outcome.messages.front());
}

/// The outcomes of every run: as it is, and by change where it was simulated with one.
class Outcomes {
 public:
  Outcomes(const RunPlan& plan, const Sensitivity& all, const std::vector<Job>& jobs,
           const std::vector<runner::Outcome>& outcomes)
      : plan_(plan), base_(plan.configs().size()), changed_(all.changes.size(), base_) {
    for (std::size_t i = 0; i < jobs.size(); ++i)
      (jobs[i].change ? changed_[*jobs[i].change] : base_)[jobs[i].run] = &outcomes[i];
  }

  const runner::Outcome& now(std::size_t run) const { return *base_[run]; }
  std::vector<const runner::Outcome*> now_of(std::size_t figure) const { return of(figure, base_); }
  /// Empty if the change is in none of the figure's runs.
  std::vector<const runner::Outcome*> changed_of(std::size_t figure, std::size_t change) const {
    const auto& runs = plan_.runs_of(figure);
    const auto& changed = changed_[change];
    if (std::none_of(runs.begin(), runs.end(), [&](std::size_t run) { return changed[run] != nullptr; })) return {};
    return of(figure, changed);
  }
  /// The first run that the change breaks, or null.
  const runner::Outcome* broken_by(std::size_t change) const {
    for (const runner::Outcome* outcome : changed_[change])
      if (outcome != nullptr && outcome->status != runner::Status::ok) return outcome;
    return nullptr;
  }

 private:
  using Row = std::vector<const runner::Outcome*>;

  Row of(std::size_t figure, const Row& row) const {
    Row out;
    for (const std::size_t run : plan_.runs_of(figure)) out.push_back(row[run] != nullptr ? row[run] : base_[run]);
    return out;
  }

  const RunPlan& plan_;
  Row base_;
  std::vector<Row> changed_;
};

/// A run that is refused as it is has a place in its file.
void throw_if_refused(const RunPlan& plan, const Outcomes& outcomes) {
  for (std::size_t run = 0; run < plan.configs().size(); ++run)
    if (outcomes.now(run).status == runner::Status::config_error)
      throw config::ConfigError(runner::located(outcomes.now(run).config_errors, plan.document(run)));
}

}  // namespace

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

Sensitivity sensitivity(const std::vector<FigureEntry>& figures, const config::Kinds& kinds,
                        const runner::Simulate& simulate, const runner::Options& options) {
  std::vector<FigureEntry> with_runs;
  std::copy_if(figures.begin(), figures.end(), std::back_inserter(with_runs),
               [](const FigureEntry& entry) { return has_run(entry.figure); });
  const RunPlan plan(with_runs, kinds);
  Sensitivity all;
  all.parameters = parameters_of(plan);
  all.changes = changes_of(all.parameters);
  const std::vector<Job> jobs = jobs_of(plan, all);
  all.runs = jobs.size();
  const auto ended = simulated(plan, all, jobs, kinds, simulate, options);
  all.interrupted = !ended;
  if (all.interrupted) return all;

  const Outcomes outcomes(plan, all, jobs, *ended);
  throw_if_refused(plan, outcomes);
  for (std::size_t change = 0; change < all.changes.size(); ++change)
    if (const runner::Outcome* broken = outcomes.broken_by(change)) all.faults.push_back({change, why(*broken)});
  for (std::size_t i = 0; i < with_runs.size(); ++i) {
    FigureMoves& figure = all.figures.emplace_back();
    figure.entry = with_runs[i];
    Simulated now = simulated_value(figure.entry, outcomes.now_of(i));
    figure.now = now.value;
    figure.why = std::move(now.why);
    for (std::size_t change = 0; change < all.changes.size(); ++change) {
      const auto its = outcomes.changed_of(i, change);
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
