// SPDX-License-Identifier: Apache-2.0
#include "app/new/trials.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>
#include <variant>

#include "app/files/config_files.hpp"
#include "cluster/catalogs.hpp"
#include "config/config.hpp"
#include "experiment/simulate.hpp"
#include "runner/runner.hpp"

namespace tsunagi::app {
namespace {

std::string reason(const runner::Outcome& outcome) {
  if (!outcome.config_errors.empty()) return outcome.config_errors.front().text;
  return outcome.messages.empty() ? "it cannot be built" : outcome.messages.front();
}

/// Candidates of a question that follow each other and are of one machine and library.
struct Ask {
  std::size_t question = 0;
  std::size_t first = 0;
  std::size_t end = 0;
};

/// A machine and a library, and who asks what runs there.
struct Trial {
  RunConfig run;  // without scenario
  std::vector<Ask> asks;
};

/// Whether it is the same machine and library; copies share both.
bool same_place(const RunConfig& a, const RunConfig& b) {
  return a.machine.topology.object() == b.machine.topology.object() && a.library.object() == b.library.object() &&
         a.options.seed == b.options.seed && a.options.max_train == b.options.max_train;
}

/// What is resolved of a run: by it the runner tells runs apart.
std::string key_of(RunConfig run) { return config::resolved(run).dump(); }

/// By key, so that the runner takes no two for one.
using Trials = std::map<std::string, Trial>;

/// Of each question that has no answer the candidates from `next` on that are of one trial.
Trials trials_of(const std::vector<Candidates>& questions, const std::vector<Answer>& answers,
                 const std::vector<std::size_t>& next) {
  Trials out;
  std::vector<std::pair<const RunConfig*, Trial*>> known;
  for (std::size_t q = 0; q < questions.size(); ++q) {
    const Candidates& all = questions[q];
    if (answers[q].runs || next[q] == all.size()) continue;
    const RunConfig& one = all[next[q]];
    const auto end = std::find_if(all.begin() + static_cast<std::ptrdiff_t>(next[q]), all.end(),
                                  [&one](const RunConfig& other) { return !same_place(one, other); });
    auto at = std::find_if(known.begin(), known.end(), [&one](const auto& k) { return same_place(one, *k.first); });
    if (at == known.end()) {
      RunConfig bare = one;
      bare.name.clear();
      bare.title.clear();
      bare.scenario = {};
      Trial& trial = out[key_of(bare)];
      trial.run = std::move(bare);
      at = known.insert(known.end(), {&one, &trial});
    }
    at->second->asks.push_back({q, next[q], static_cast<std::size_t>(end - all.begin())});
  }
  return out;
}

/// Tries each question's candidates until one is not refused: a row each, with its place, or the end's, and the first
/// refusal.
void try_here(const std::vector<Candidates>& questions, const Trial& trial, report::Recorder& recorder) {
  experiment::with_refusal(trial.run, [&](const experiment::Refusal& refusal) {
    for (const Ask& ask : trial.asks) {
      std::size_t at = ask.first;
      std::string why;
      for (; at < ask.end; ++at) {
        const std::string refused = refusal(questions[ask.question][at].scenario);
        if (refused.empty()) break;
        if (why.empty()) why = refused;
      }
      recorder.row().count("at", static_cast<std::int64_t>(at)).text("why", why);
    }
  });
}

/// What a trial's process has told; none: it was refused itself, which is what it says of all that was asked.
void take_answers(const Trial& trial, const runner::Outcome& outcome, std::vector<Answer>& answers,
                  std::vector<std::size_t>& next) {
  const bool told = outcome.status == runner::Status::ok;
  for (std::size_t i = 0; i < trial.asks.size(); ++i) {
    const Ask& ask = trial.asks[i];
    Answer& answer = answers[ask.question];
    next[ask.question] = ask.end;
    std::string why = told ? std::get<std::string>(*outcome.rows.rows[i].find("why")) : reason(outcome);
    answer.which = told ? static_cast<std::size_t>(std::get<std::int64_t>(*outcome.rows.rows[i].find("at"))) : ask.end;
    answer.runs = answer.which < ask.end;
    if (answer.runs)
      answer.why.clear();
    else if (answer.why.empty())
      answer.why = std::move(why);
  }
}

}  // namespace

std::optional<std::vector<Answer>> try_all(const std::vector<Candidates>& questions) {
  runner::Options options;
  options.jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<Answer> answers(questions.size());
  std::vector<std::size_t> next(questions.size());
  for (;;) {
    const Trials trials = trials_of(questions, answers, next);
    if (trials.empty()) return answers;
    std::vector<RunConfig> runs;
    for (const auto& [key, trial] : trials) runs.push_back(trial.run);
    const std::vector<runner::Outcome> outcomes = runner::run_many(
        runs,
        [&](const RunConfig& run, const std::string&, report::Recorder& recorder) {
          try_here(questions, trials.at(key_of(run)), recorder);
          return runner::Counts{};
        },
        options);
    auto outcome = outcomes.begin();
    for (const auto& [key, trial] : trials) {
      if (outcome->status == runner::Status::interrupted) return std::nullopt;
      take_answers(trial, *outcome++, answers, next);
    }
  }
}

config::AnyConfig plain_config(const char* family, const std::string& kind, const nlohmann::json& more) {
  nlohmann::json said = more;
  said["kind"] = kind;
  try {
    return config::read_any(config::parse(said.dump(), kind), all_kinds(), family);
  } catch (const config::ConfigError&) {
    return {};
  }
}

std::vector<ShippedRun> shipped_runs(const std::filesystem::path& folder) {
  std::vector<ShippedRun> out;
  for (const auto& file : json_files(folder)) {
    try {
      out.push_back({file.stem().string(), config::read<RunConfig>(config::load(file), all_kinds())});
    } catch (const config::ConfigError&) {
      continue;  // `list runs` says which and why
    }
  }
  return out;
}

config::AnyConfig of_smallest_class(const config::AnyConfig& scenario) {
  if (scenario.empty()) return {};
  RunConfig alone;
  alone.scenario = scenario;
  auto said = nlohmann::json::parse(config::resolved(alone).at("scenario").dump());
  if (said.count("class") == 0) return {};
  said["class"] = "S";
  return plain_config("scenario", scenario.kind(), said);
}

std::vector<config::AnyConfig> scenario_candidates(const std::string& kind, const std::vector<ShippedRun>& runs) {
  std::vector<config::AnyConfig> out;
  const auto add = [&](const nlohmann::json& more) {
    if (config::AnyConfig plain = plain_config("scenario", kind, more); !plain.empty()) out.push_back(std::move(plain));
  };
  add(nlohmann::json::object());
  add({{"by", "messages"}});
  const auto shipped =
      std::find_if(runs.begin(), runs.end(), [&](const ShippedRun& r) { return r.config.scenario.kind() == kind; });
  if (shipped != runs.end()) out.push_back(shipped->config.scenario);
  // Less than the defaults, for libraries that take no more.
  for (const nlohmann::json& less :
       {nlohmann::json{{"messages", 1}}, nlohmann::json{{"sizes", {"8 B"}}}, nlohmann::json{{"faces", {"8 B"}}}})
    add(less);
  return out;
}

std::vector<config::AnyConfig> quick_candidates(const std::string& kind, const std::vector<ShippedRun>& runs) {
  std::vector<config::AnyConfig> out = scenario_candidates(kind, runs);
  for (config::AnyConfig& candidate : out)
    if (config::AnyConfig smallest = of_smallest_class(candidate); !smallest.empty()) candidate = std::move(smallest);
  return out;
}

}  // namespace tsunagi::app
