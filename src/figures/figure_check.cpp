// SPDX-License-Identifier: Apache-2.0
#include "figures/figure_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "figures/run_plan.hpp"
#include "report/digest.hpp"
#include "runner/places.hpp"

namespace tsunagi::figures {
namespace {

/// "peach2.json:12:5", the same wherever the configs lie.
std::string short_place(const config::Place& place) {
  return fmt::format("{}:{}:{}", file_name(place), place.line, place.column);
}

/// Parameters of these runs that were fitted to the figure. A part used twice is one parameter.
std::vector<std::string> fitted_to(const std::string& id, const RunPlan& plan, const std::vector<std::size_t>& runs) {
  std::vector<std::string> out;
  std::set<std::string> known;
  for (const std::size_t run : runs)
    for (const config::Provenance& source : plan.sources(run)) {
      if (std::find(source.fitted_to.begin(), source.fitted_to.end(), id) == source.fitted_to.end()) continue;
      if (known.insert(source.place.text()).second)
        out.push_back(fmt::format("{} {}", short_place(source.place), source.pointer));
    }
  return out;
}

/// Throws config::ConfigError unless a figure says that it is fitted when a parameter says so, and only then.
void check_role(const FigureEntry& entry, const std::vector<std::string>& parameters) {
  const Figure& figure = entry.figure;
  if (figure.role == Role::fitted && parameters.empty())
    throw figure_error(
        entry, fmt::format("figure {} is \"fitted\", but no parameter of its runs is \"fitted_to\" it", figure.id));
  if (figure.role != Role::fitted && !parameters.empty())
    throw figure_error(entry, fmt::format("figure {} is \"{}\", but a parameter is \"fitted_to\" it: {}", figure.id,
                                          name_of(figure.role), parameters.front()));
}

bool all_ended(const std::vector<const runner::Outcome*>& outcomes) {
  return std::none_of(outcomes.begin(), outcomes.end(),
                      [](const runner::Outcome* o) { return o->status == runner::Status::interrupted; });
}

}  // namespace

std::string name_of(FigureStatus status) {
  switch (status) {
    case FigureStatus::pass:
      return "pass";
    case FigureStatus::miss:
      return "miss";
    case FigureStatus::known_miss:
      return "known_miss";
    case FigureStatus::no_run:
      break;
  }
  return "no_run";
}

void judge(Verdict& verdict, const std::vector<KnownMiss>& missed) {
  const Figure& figure = verdict.entry.figure;
  const bool pass = verdict.simulated && agrees(figure, *verdict.simulated);
  const auto listed = std::find_if(missed.begin(), missed.end(), [&](const KnownMiss& m) { return m.id == figure.id; });
  verdict.status = pass ? FigureStatus::pass : FigureStatus::miss;
  if (listed == missed.end() || !verdict.simulated) return;
  if (pass)
    verdict.why = "passes, but missed.json lists it: remove it there";
  else if (has_moved(*listed, *verdict.simulated))
    verdict.why =
        fmt::format("a known miss that moved by more than 1 % from the {:g} that missed.json lists", listed->simulated);
  else
    verdict.status = FigureStatus::known_miss;
}

CheckResult check_figures(const std::vector<FigureEntry>& figures, const std::vector<KnownMiss>& missed,
                          const config::Kinds& kinds, const runner::Simulate& simulate,
                          const runner::Options& options) {
  const RunPlan plan(figures, kinds);
  std::vector<std::vector<std::string>> fitted;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    fitted.push_back(fitted_to(figures[i].figure.id, plan, plan.runs_of(i)));
    if (has_run(figures[i].figure)) check_role(figures[i], fitted.back());
  }
  const std::vector<runner::Outcome> outcomes = runner::run_many(plan.configs(), simulate, options);
  CheckResult result;
  std::vector<std::string> digests;
  for (std::size_t run = 0; run < outcomes.size(); ++run) {
    const runner::Outcome& outcome = outcomes[run];
    digests.push_back(report::digest(outcome.rows));
    result.interrupted = result.interrupted || outcome.status == runner::Status::interrupted;
    if (outcome.status == runner::Status::config_error)
      throw config::ConfigError(runner::located(outcome.config_errors, plan.document(run)));
  }
  for (std::size_t i = 0; i < figures.size(); ++i) {
    Verdict verdict;
    verdict.entry = figures[i];
    verdict.fitted = fitted[i];
    std::vector<const runner::Outcome*> its;
    for (const std::size_t run : plan.runs_of(i)) {
      const std::string& name = figures[i].figure.runs[its.size()].name;
      its.push_back(&outcomes[run]);
      verdict.wall_s += outcomes[run].cost.wall_s;
      if (outcomes[run].status == runner::Status::ok) verdict.digests.emplace_back(name, digests[run]);
    }
    if (!its.empty() && all_ended(its)) {
      Simulated simulated = simulated_value(figures[i], its);
      verdict.simulated = simulated.value;
      verdict.why = std::move(simulated.why);
      judge(verdict, missed);
    }
    result.verdicts.push_back(std::move(verdict));
  }
  return result;
}

}  // namespace tsunagi::figures
