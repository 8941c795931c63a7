// SPDX-License-Identifier: Apache-2.0
// What runs on what, found out by building it: machines, libraries and scenarios say before time 0 what they lack.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runner/run_config.hpp"

namespace tsunagi::app {

/// Runs that would show that something goes together: one that is not refused is enough. Tried in their order.
using Candidates = std::vector<RunConfig>;

/// What came of it.
struct Answer {
  bool runs = false;
  std::size_t which = 0;  ///< of the candidates, if it runs
  std::string why;        ///< the first one was refused; "" if there was none
};

/// Builds candidates of all questions until each has an answer. Machine and library of candidates that share them (as
/// copies do) are built once, in a process of their own, for all scenarios that are tried there. Nothing: Ctrl-C.
std::optional<std::vector<Answer>> try_all(const std::vector<Candidates>& questions);

/// A kind's config with nothing said but `more`; empty if that is too little or wrong.
config::AnyConfig plain_config(const char* family, const std::string& kind,
                               const nlohmann::json& more = nlohmann::json::object());

/// A run that comes with the program.
struct ShippedRun {
  std::string name;
  RunConfig config;
};
/// Those of a folder that can be read, by name.
std::vector<ShippedRun> shipped_runs(const std::filesystem::path& folder);

/// The same with the smallest class of problems, if it has classes: whether it is built does not hang on them, and the
/// keys of larger ones take a second to count. Empty: it has none.
config::AnyConfig of_smallest_class(const config::AnyConfig& scenario);

/// What a scenario can be tried with: nothing said, by messages if it does that, too, as it stands in the first of
/// `runs` that has it, and with few or short messages.
std::vector<config::AnyConfig> scenario_candidates(const std::string& kind, const std::vector<ShippedRun>& runs);

/// The same to find out whether it runs at all: of the smallest class of problems.
std::vector<config::AnyConfig> quick_candidates(const std::string& kind, const std::vector<ShippedRun>& runs);

}  // namespace tsunagi::app
