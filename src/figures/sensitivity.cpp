// SPDX-License-Identifier: Apache-2.0
#include "figures/sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "runner/places.hpp"
#include "runner/stream.hpp"

namespace tsunagi::figures {
namespace {

/// One run to simulate: as it is, or with a change.
struct Job {
  std::size_t run = 0;
  std::optional<std::size_t> change;
};

/// What the change sets in one run.
std::vector<config::Override> overrides_of(const Sensitivity& all, const Job& job) {
  std::vector<config::Override> out;
  if (!job.change) return out;
  const Change& change = all.changes[*job.change];
  for (const std::string& place : all.parameters[change.parameter].places[job.run])
    out.push_back({place, change.value});
  return out;
}

/// Why a changed run gives nothing; one line.
std::string why(const runner::Outcome& outcome) {
  if (!outcome.config_errors.empty()) {
    const config::Message& first = outcome.config_errors.front();
    return fmt::format("{}: {}", first.pointer, first.text);  // line and column are of the resolved config
  }
  return outcome.messages.empty() ? "failed" : first_line(outcome.messages.front());
}

/// Takes what runs gave as they end, and reads the figures of a change off as soon as all of its runs are there. It
/// keeps no more than the runs as they are: what a process holds weighs on every run that it forks.
class Readings {
 public:
  Readings(const RunPlan& plan, Sensitivity& all)
      : plan_(plan), all_(all), base_(plan.configs().size()), left_(all.changes.size()) {
    for (FigureMoves& figure : all_.figures) figure.simulated.resize(all.changes.size());
  }

  /// What will be there.
  void expect(const std::vector<Job>& jobs) {
    for (const Job& job : jobs) ++(job.change ? left_[*job.change] : base_left_);
  }

  /// Whether a change is tried for a figure: not within a range whose ends have been, and do not move it.
  bool tried(std::size_t figure, std::size_t change) const {
    const FigureMoves& f = all_.figures[figure];
    if (!all_.changes[change].is_inside) return true;
    for (std::size_t i = 0; i < all_.changes.size(); ++i)
      if (all_.changes[i].is_end && all_.changes[i].parameter == all_.changes[change].parameter)
        if (!f.now || f.simulated[i] != f.now) return true;
    return false;
  }

  void take(const Job& job, runner::Outcome outcome) {
    if (job.change) {
      changed_[*job.change].emplace(job.run, std::move(outcome));
      if (--left_[*job.change] == 0 && base_left_ == 0) read(*job.change);
      return;
    }
    base_[job.run] = std::move(outcome);
    if (--base_left_ > 0) return;
    read_now();
    for (std::size_t change = 0; change < left_.size(); ++change)
      if (left_[change] == 0 && changed_.count(change) != 0) read(change);
  }

 private:
  using ByRun = std::map<std::size_t, runner::Outcome>;

  void read_now() {
    throw_if_refused();
    for (std::size_t i = 0; i < all_.figures.size(); ++i) {
      FigureMoves& figure = all_.figures[i];
      Simulated now = simulated_value(figure.entry, runs_of(i, {}));
      figure.now = now.value;
      figure.why = std::move(now.why);
    }
  }

  /// A run that is refused as it is has a place in its file.
  void throw_if_refused() const {
    for (std::size_t run = 0; run < base_.size(); ++run)
      if (base_[run].status == runner::Status::config_error)
        throw config::ConfigError(runner::located(base_[run].config_errors, plan_.document(run)));
  }

  void read(std::size_t change) {
    const ByRun changed = std::move(changed_.extract(change).mapped());
    const auto broken = std::find_if(changed.begin(), changed.end(),
                                     [](const auto& run) { return run.second.status != runner::Status::ok; });
    if (broken != changed.end()) all_.faults.push_back({change, why(broken->second)});
    for (std::size_t i = 0; i < all_.figures.size(); ++i) {
      const auto& runs = plan_.runs_of(i);
      if (tried(i, change) &&
          std::any_of(runs.begin(), runs.end(), [&](std::size_t run) { return changed.count(run) != 0; }))
        all_.figures[i].simulated[change] = simulated_value(all_.figures[i].entry, runs_of(i, changed)).value;
    }
  }

  /// Of a figure's runs, in its order: what was changed, else as it is.
  std::vector<const runner::Outcome*> runs_of(std::size_t figure, const ByRun& changed) const {
    std::vector<const runner::Outcome*> out;
    for (const std::size_t run : plan_.runs_of(figure)) {
      const auto found = changed.find(run);
      out.push_back(found != changed.end() ? &found->second : &base_[run]);
    }
    return out;
  }

  const RunPlan& plan_;
  Sensitivity& all_;
  std::vector<runner::Outcome> base_;
  std::map<std::size_t, ByRun> changed_;  // by change, while it is not read
  std::size_t base_left_ = 0;
  std::vector<std::size_t> left_;
};

/// Every run as it is, and what is no tenth within a range in the runs that have its parameter.
std::vector<Job> first_jobs(const RunPlan& plan, const Sensitivity& all) {
  std::vector<Job> out;
  for (std::size_t run = 0; run < plan.configs().size(); ++run) out.push_back({run, std::nullopt});
  for (std::size_t change = 0; change < all.changes.size(); ++change) {
    const auto& places = all.parameters[all.changes[change].parameter].places;
    for (std::size_t run = 0; run < places.size(); ++run)
      if (!places[run].empty() && !all.changes[change].is_inside) out.push_back({run, change});
  }
  return out;
}

/// The tenths within ranges, in the runs of figures that an end of the range moves.
std::vector<Job> other_jobs(const RunPlan& plan, const Sensitivity& all, const Readings& readings) {
  std::vector<Job> out;
  for (std::size_t change = 0; change < all.changes.size(); ++change) {
    if (!all.changes[change].is_inside) continue;
    const auto& places = all.parameters[all.changes[change].parameter].places;
    std::set<std::size_t> runs;
    for (std::size_t figure = 0; figure < all.figures.size(); ++figure)
      if (readings.tried(figure, change)) runs.insert(plan.runs_of(figure).begin(), plan.runs_of(figure).end());
    for (const std::size_t run : runs)
      if (!places[run].empty()) out.push_back({run, change});
  }
  return out;
}

/// Simulates the jobs. False if that was interrupted.
bool simulate_all(const RunPlan& plan, const Sensitivity& all, const std::vector<Job>& jobs, const config::Kinds& kinds,
                  const runner::Simulate& simulate, const runner::Options& options, Readings& readings) {
  std::vector<std::string> resolved;  // without "$sources", whose ranges bind
  for (RunConfig config : plan.configs()) resolved.push_back(config::resolved(config).dump());
  readings.expect(jobs);
  std::size_t next = 0;
  std::size_t done = all.runs - jobs.size();
  const auto task = [&]() -> std::optional<runner::Task> {
    if (next == jobs.size()) return std::nullopt;
    const Job* job = &jobs[next++];
    const auto config = [&, job] {
      const std::string& name = plan.configs()[job->run].name;
      return config::read<RunConfig>(config::parse(resolved[job->run], name, overrides_of(all, *job)), kinds);
    };
    const auto ended = [&, job](runner::Outcome outcome) {
      readings.take(*job, std::move(outcome));
      if (options.progress) options.progress(++done, all.runs);
    };
    return runner::Task{config, ended};
  };
  if (options.progress) options.progress(done, all.runs);
  return runner::run_stream(task, simulate, options);
}

}  // namespace

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

Sensitivity sensitivity(const std::vector<FigureEntry>& figures, const config::Kinds& kinds,
                        const runner::Simulate& simulate, const runner::Options& options) {
  Sensitivity all;
  std::vector<FigureEntry> with_runs;
  for (const FigureEntry& entry : figures) {
    if (!has_run(entry.figure)) continue;
    const bool stood_for = std::any_of(figures.begin(), figures.end(), [&](const FigureEntry& other) {
      return other.figure.id == entry.figure.moves_with && other.system == entry.system;
    });
    (stood_for ? all.stood_for : with_runs).push_back(entry);
  }
  const RunPlan plan(with_runs, kinds);
  all.parameters = parameters_of(plan);
  all.changes = changes_of(all.parameters);
  for (const FigureEntry& entry : with_runs) all.figures.push_back({entry, std::nullopt, "", {}});
  Readings readings(plan, all);
  const auto simulated = [&](const std::vector<Job>& jobs) {
    all.runs += jobs.size();
    return simulate_all(plan, all, jobs, kinds, simulate, options, readings);
  };
  all.interrupted = !simulated(first_jobs(plan, all)) || !simulated(other_jobs(plan, all, readings));
  std::sort(all.faults.begin(), all.faults.end(), [](const Fault& a, const Fault& b) { return a.change < b.change; });
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
    if (agrees(figure.entry.figure, value) != agrees(figure.entry.figure, *figure.now)) out.turn.push_back(change);
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
