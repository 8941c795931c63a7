// SPDX-License-Identifier: Apache-2.0
#include "runner/runner.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "config/config.hpp"
#include "runner/stream.hpp"

namespace tsunagi::runner {
namespace {

/// Equal texts: equal simulations. Names and titles are for people.
std::string identity(RunConfig run) {
  run.name.clear();
  run.title.clear();
  return config::resolved(run).dump();
}

}  // namespace

std::vector<Outcome> run_many(const std::vector<RunConfig>& runs, const Simulate& simulate, const Options& options) {
  std::map<std::string, std::size_t> known;
  std::vector<const RunConfig*> distinct;
  std::vector<std::size_t> index;
  for (const RunConfig& run : runs) {
    const auto [place, is_new] = known.emplace(runs.size() > 1 ? identity(run) : std::string(), distinct.size());
    if (is_new) distinct.push_back(&run);
    index.push_back(place->second);
  }
  std::vector<Outcome> outcomes(distinct.size());
  std::size_t next = 0;
  std::size_t done = 0;
  const auto task = [&]() -> std::optional<Task> {
    if (next == distinct.size()) return std::nullopt;
    const std::size_t i = next++;
    return Task{[&run = *distinct[i]] { return run; },
                [&, i](Outcome outcome) {
                  const bool counts = outcome.status != Status::interrupted;
                  outcomes[i] = std::move(outcome);
                  if (counts && options.progress) options.progress(++done, distinct.size());
                }};
  };
  if (options.progress) options.progress(0, distinct.size());
  run_stream(task, simulate, options);
  std::vector<Outcome> out;
  for (const std::size_t i : index) out.push_back(outcomes[i]);
  return out;
}

Outcome run_one(const RunConfig& run, const Simulate& simulate, const Options& options) {
  return run_many({run}, simulate, options).front();
}

}  // namespace tsunagi::runner
