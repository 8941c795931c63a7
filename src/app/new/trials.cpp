// SPDX-License-Identifier: Apache-2.0
#include "app/new/trials.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/files/config_files.hpp"
#include "cluster/catalogs.hpp"
#include "config/config.hpp"
#include "experiment/simulation.hpp"
#include "runner/runner.hpp"

namespace tsunagi::app {
namespace {

std::string reason(const runner::Outcome& outcome) {
  if (!outcome.config_errors.empty()) return outcome.config_errors.front().text;
  return outcome.messages.empty() ? "it cannot be built" : outcome.messages.front();
}

}  // namespace

std::optional<std::vector<Answer>> try_all(const std::vector<Candidates>& questions) {
  runner::Options options;
  options.jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<Answer> answers(questions.size());
  for (std::size_t round = 0;; ++round) {
    std::vector<std::size_t> open;
    std::vector<RunConfig> runs;
    for (std::size_t q = 0; q < questions.size(); ++q) {
      if (answers[q].runs || round >= questions[q].size()) continue;
      open.push_back(q);
      runs.push_back(questions[q][round]);
    }
    if (runs.empty()) return answers;
    const std::vector<runner::Outcome> outcomes = runner::run_many(runs, experiment::elaboration(), options);
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (outcomes[i].status == runner::Status::interrupted) return std::nullopt;
      Answer& answer = answers[open[i]];
      answer.runs = outcomes[i].status == runner::Status::ok;
      answer.which = round;
      if (answer.runs)
        answer.why.clear();
      else if (answer.why.empty())
        answer.why = reason(outcomes[i]);
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
