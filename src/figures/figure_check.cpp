// SPDX-License-Identifier: Apache-2.0
#include "figures/figure_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "config/config.hpp"
#include "figures/expression.hpp"
#include "runner/places.hpp"

namespace tsunagi::figures {
namespace {

/// The distinct run documents that a set of figures needs.
class RunPlan {
 public:
  explicit RunPlan(const config::Kinds& kinds) : kinds_(kinds) {}

  /// Index of the figure's run among `configs`, loaded when new.
  std::size_t add(const FigureEntry& entry, const FigureRun& run) {
    const std::string file = (entry.file.parent_path() / run.file).lexically_normal().string();
    std::string key = file;
    std::vector<config::Override> overrides;
    for (const std::string& text : run.set) {
      key += '\n' + text;
      overrides.push_back(config::parse_override(text));
    }
    const auto [place, is_new] = index_.emplace(key, configs_.size());
    if (is_new) {
      documents_.push_back(config::load(file, overrides));
      configs_.push_back(config::read<RunConfig>(documents_.back(), kinds_));
      sources_.push_back(config::provenance(documents_.back()));
    }
    return place->second;
  }
  const std::vector<RunConfig>& configs() const { return configs_; }
  const config::Document& document(std::size_t run) const { return documents_[run]; }
  const std::vector<config::Provenance>& sources(std::size_t run) const { return sources_[run]; }

 private:
  const config::Kinds& kinds_;
  std::map<std::string, std::size_t> index_;
  std::vector<config::Document> documents_;
  std::vector<RunConfig> configs_;
  std::vector<std::vector<config::Provenance>> sources_;
};

report::Rows filtered(const report::Rows& rows, const std::vector<std::string>& where) {
  report::Rows out;
  out.rates = rows.rates;
  std::copy_if(rows.rows.begin(), rows.rows.end(), std::back_inserter(out.rows), [&](const report::Row& row) {
    return std::all_of(where.begin(), where.end(), [&](const std::string& filter) {
      const std::size_t equals = filter.find('=');
      const report::Cell* cell = row.find(filter.substr(0, equals));
      const auto* text = cell == nullptr ? nullptr : std::get_if<std::string>(cell);
      return text != nullptr && *text == filter.substr(equals + 1);
    });
  });
  return out;
}

/// "peach2.json:12:5", the same wherever the configs lie.
std::string short_place(const config::Place& place) {
  const std::string text = place.text();
  return text.substr(text.rfind('/') + 1);
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

/// The figure's value from the outcomes of its runs, or why there is none.
void simulate_value(Verdict& verdict, const std::vector<runner::Outcome>& outcomes,
                    const std::vector<std::size_t>& runs) {
  const Figure& figure = verdict.entry.figure;
  Tables tables;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const runner::Outcome& outcome = outcomes[runs[i]];
    if (outcome.status == runner::Status::ok) {
      tables[figure.runs[i].name] = filtered(outcome.rows, figure.runs[i].where);
    } else {
      verdict.why =
          fmt::format("{}: {}", figure.runs[i].file,
                      outcome.messages.empty() ? "not run" : fmt::format("{}", fmt::join(outcome.messages, "; ")));
      return;
    }
  }
  try {
    verdict.simulated = evaluate(figure.expression, tables);
  } catch (const NoValue& e) {
    verdict.why = e.what();
  } catch (const ExpressionError& e) {
    config::Message message;
    message.place.file = std::make_shared<const std::string>(verdict.entry.file.string());
    message.text = fmt::format("figure {}: {}", figure.id, e.what());
    throw config::ConfigError({message});
  }
}

void judge(Verdict& verdict, const std::vector<KnownMiss>& missed) {
  const Figure& figure = verdict.entry.figure;
  const bool pass = verdict.simulated && agrees(figure, *verdict.simulated);
  const auto listed = std::find_if(missed.begin(), missed.end(), [&](const KnownMiss& m) { return m.id == figure.id; });
  verdict.status = pass ? FigureStatus::pass : FigureStatus::miss;
  if (listed == missed.end() || !verdict.simulated) return;
  if (pass) {
    verdict.why = "passes, but missed.json lists it: remove it there";
    return;
  }
  verdict.status = FigureStatus::known_miss;
  if (has_moved(*listed, *verdict.simulated))
    verdict.why = fmt::format("moved by more than 1 % from the {:g} that missed.json lists", listed->simulated);
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

CheckResult check_figures(const std::vector<FigureEntry>& figures, const std::vector<KnownMiss>& missed,
                          const config::Kinds& kinds, const runner::Simulate& simulate,
                          const runner::Options& options) {
  RunPlan plan(kinds);
  std::vector<std::vector<std::size_t>> runs_of;
  for (const FigureEntry& entry : figures) {
    std::vector<std::size_t>& runs = runs_of.emplace_back();
    for (const FigureRun& run : entry.figure.runs) runs.push_back(plan.add(entry, run));
  }
  const std::vector<runner::Outcome> outcomes = runner::run_many(plan.configs(), simulate, options);
  CheckResult result;
  for (std::size_t run = 0; run < outcomes.size(); ++run) {
    const runner::Outcome& outcome = outcomes[run];
    result.interrupted = result.interrupted || outcome.status == runner::Status::interrupted;
    if (outcome.status == runner::Status::config_error)
      throw config::ConfigError(runner::located(outcome.config_errors, plan.document(run)));
  }
  for (std::size_t i = 0; i < figures.size(); ++i) {
    Verdict verdict;
    verdict.entry = figures[i];
    if (has_run(figures[i].figure)) {
      verdict.fitted = fitted_to(figures[i].figure.id, plan, runs_of[i]);
      simulate_value(verdict, outcomes, runs_of[i]);
      judge(verdict, missed);
    }
    result.verdicts.push_back(std::move(verdict));
  }
  return result;
}

}  // namespace tsunagi::figures
