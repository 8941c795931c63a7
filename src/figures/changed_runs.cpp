// SPDX-License-Identifier: Apache-2.0
#include "figures/changed_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "report/accounts/rows_accounts.hpp"
#include "report/digest.hpp"
#include "runner/stream.hpp"

namespace tsunagi::figures {
namespace {

using Json = nlohmann::ordered_json;

/// A run in short pays for itself if it wakes up so many times less often, and if there is something to save.
constexpr std::uint64_t least_gain = 4;
constexpr std::uint64_t least_wakeups = 100'000;

/// A resolved run with one iteration, one to warm up; nothing where that is what it has.
std::optional<std::string> in_short(Json resolved) {
  Json& scenario = resolved["scenario"];
  bool shorter = false;
  for (const char* count : {"iterations", "warm_up"})
    if (scenario.contains(count) && scenario[count].is_number_integer() && scenario[count] > 1) {
      scenario[count] = 1;
      shorter = true;
    }
  return shorter ? std::optional(resolved.dump()) : std::nullopt;
}

/// Equal prints: in all that is counted nothing moved. Empty, and equal to none, if the run failed.
std::string print_of(const runner::Outcome& outcome) {
  if (outcome.status != runner::Status::ok) return "";
  return fmt::format("{} {} {} {} {}", report::digest(outcome.rows), report::rows_accounts_to_json(outcome.rows).dump(),
                     outcome.cost.wakeups, outcome.cost.packet_hops, outcome.cost.simulated.fs());
}

}  // namespace

/// Simulates runs of a plan, many at a time.
class ChangedRuns::Batch {
 public:
  Batch(const ChangedRuns& all, const config::Kinds& kinds, const runner::Simulate& simulate,
        const runner::Options& options)
      : all_(all), kinds_(kinds), simulate_(simulate), options_(options), total_(all.now_.size() + all.jobs_.size()) {
    for (RunConfig config : all.plan_.configs()) {
      const Json resolved = config::resolved(config);  // without "$sources", whose ranges bind
      whole_.push_back(resolved.dump());
      short_.push_back(in_short(resolved));
    }
    tell(0);
  }

  bool has_short(std::size_t run) const { return short_[run].has_value(); }
  /// Some more of what is to be done has been.
  void tell(std::size_t more) {
    done_ += more;
    if (options_.progress) options_.progress(done_, total_);
  }

  /// What is to be simulated: a run, in short or whole, as it is or with a change, and who takes the outcome.
  struct Task {
    std::size_t run = 0;
    bool whole = true;
    const Change* change = nullptr;
    std::function<void(runner::Outcome)> ended;
  };
  /// False: interrupted.
  bool run(const std::vector<Task>& tasks) {
    std::size_t next = 0;
    const auto task = [&]() -> std::optional<runner::Task> {
      if (next == tasks.size()) return std::nullopt;
      const Task& t = tasks[next++];
      const auto ended = [this, &t](runner::Outcome outcome) {
        t.ended(std::move(outcome));
        if (t.whole) tell(1);
      };
      return runner::Task{[this, &t] { return config_of(t); }, ended};
    };
    return runner::run_stream(task, simulate_, options_);
  }

 private:
  RunConfig config_of(const Task& t) const {
    std::vector<config::Override> set;
    if (t.change != nullptr)
      for (const std::string& place : all_.parameters_[t.change->parameter].places[t.run])
        set.push_back({place, t.change->value});
    const std::string& text = t.whole ? whole_[t.run] : *short_[t.run];
    return config::read<RunConfig>(config::parse(text, all_.plan_.configs()[t.run].name, set), kinds_);
  }

  const ChangedRuns& all_;
  const config::Kinds& kinds_;
  const runner::Simulate& simulate_;
  const runner::Options& options_;
  std::vector<std::string> whole_;  // as JSON text, each
  std::vector<std::optional<std::string>> short_;
  std::size_t total_;
  std::size_t done_ = 0;
};

ChangedRuns::ChangedRuns(const RunPlan& plan, const std::vector<Parameter>& parameters,
                         const std::vector<Change>& changes)
    : plan_(plan),
      parameters_(parameters),
      changes_(changes),
      now_(plan.configs().size()),
      changed_(changes.size(), std::vector<const runner::Outcome*>(plan.configs().size())) {
  for (std::size_t change = 0; change < changes.size(); ++change) {
    const auto& places = parameters[changes[change].parameter].places;
    for (std::size_t run = 0; run < places.size(); ++run)
      if (!places[run].empty()) jobs_.push_back({run, change});
  }
}

bool ChangedRuns::simulate_in_short(Batch& batch, std::vector<std::string>& prints) const {
  std::vector<Batch::Task> tasks;
  for (std::size_t run = 0; run < now_.size(); ++run)
    if (batch.has_short(run) && now_[run].cost.wakeups >= least_wakeups)
      tasks.push_back({run, false, nullptr, [this, &prints, run](const runner::Outcome& outcome) {
                         if (outcome.cost.wakeups * least_gain <= now_[run].cost.wakeups)
                           prints[run] = print_of(outcome);
                       }});
  return batch.run(tasks);
}

bool ChangedRuns::simulate(const config::Kinds& kinds, const runner::Simulate& simulate, const runner::Options& options,
                           bool every_run) {
  Batch batch(*this, kinds, simulate, options);
  std::vector<Batch::Task> tasks;
  for (std::size_t run = 0; run < now_.size(); ++run)
    tasks.push_back({run, true, nullptr, [this, run](runner::Outcome outcome) { now_[run] = std::move(outcome); }});
  if (!batch.run(tasks)) return false;

  std::vector<std::string> prints(now_.size());
  if (!every_run && !simulate_in_short(batch, prints)) return false;
  std::vector<Batch::Task> whole;
  tasks.clear();
  for (Job& job : jobs_) {
    const Change& change = changes_[job.change];
    const runner::Outcome*& place = changed_[job.change][job.run];
    const Batch::Task task{job.run, true, &change, [&job, &place](runner::Outcome outcome) {
                             job.outcome = std::move(outcome);
                             place = &job.outcome;
                           }};
    if (prints[job.run].empty()) {
      whole.push_back(task);
      continue;
    }
    tasks.push_back({job.run, false, &change, [&, task](const runner::Outcome& outcome) {
                       if (print_of(outcome) != prints[job.run]) return whole.push_back(task);
                       place = &now_[job.run];
                       ++spared_;
                       batch.tell(1);
                     }});
  }
  if (!batch.run(tasks)) return false;
  // The longest first, so that no job is left over for one process alone.
  std::stable_sort(whole.begin(), whole.end(), [this](const Batch::Task& a, const Batch::Task& b) {
    return now_[a.run].cost.wakeups > now_[b.run].cost.wakeups;
  });
  return batch.run(whole);
}

std::vector<const runner::Outcome*> ChangedRuns::now_of(std::size_t figure) const {
  std::vector<const runner::Outcome*> out;
  for (const std::size_t run : plan_.runs_of(figure)) out.push_back(&now_[run]);
  return out;
}

std::vector<const runner::Outcome*> ChangedRuns::changed_of(std::size_t figure, std::size_t change) const {
  const auto& runs = plan_.runs_of(figure);
  const auto& changed = changed_[change];
  if (std::none_of(runs.begin(), runs.end(), [&](std::size_t run) { return changed[run] != nullptr; })) return {};
  std::vector<const runner::Outcome*> out;
  for (const std::size_t run : runs) out.push_back(changed[run] != nullptr ? changed[run] : &now_[run]);
  return out;
}

const runner::Outcome* ChangedRuns::broken_by(std::size_t change) const {
  for (const runner::Outcome* outcome : changed_[change])
    if (outcome != nullptr && outcome->status != runner::Status::ok) return outcome;
  return nullptr;
}

}  // namespace tsunagi::figures
