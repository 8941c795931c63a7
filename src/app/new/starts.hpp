// SPDX-License-Identifier: Apache-2.0
// Files to begin with: texts of machines, runs and sweeps of one's own, made of what comes with the program.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tsunagi::app {

/// The file that is to be written, and what it is called.
struct Target {
  std::string name;            ///< of the machine, run or sweep
  std::filesystem::path file;  ///< relative to the working directory or absolute
};

/// How a file that stands in `target`'s folder names another one, as in a JSON string: from there on if both are named
/// relative to the working directory, else wholly.
std::string name_from(const Target& target, const std::filesystem::path& file);

/// A file by its name, or by that of one in `folder`. Throws UsageError for `what` ("machine") there is not.
std::filesystem::path existing(const std::string& name, const std::filesystem::path& folder, const std::string& what);

/// The text of a template of the configs. Throws UsageError if it cannot be read.
std::string template_of(const std::filesystem::path& configs, const std::string& name);

/// A text with every @word@ of `words` replaced.
std::string filled_in(std::string text, const std::vector<std::pair<std::string, std::string>>& words);

/// A machine that begins as the template or machine `from` of the configs does, or as that file, with so many nodes
/// (none: as it has). Throws UsageError for what there is not, or if it does not say its number of nodes by itself.
std::string machine_start(const std::filesystem::path& configs, const Target& target, const std::string& from,
                          std::optional<int> nodes);

/// What a run is to be made of; empty: chosen.
struct RunWish {
  std::string machine;   ///< a file, or a name in `machines`
  std::string library;   ///< a name in `parts`, or a kind
  std::string scenario;  ///< a kind
};
/// A run that is not refused. Throws UsageError for what there is not, or does not go together. Nothing: Ctrl-C.
std::optional<std::string> run_start(const std::filesystem::path& configs, const Target& target, const RunWish& wish);

/// A sweep over a run, a file or a name in `runs`. Throws UsageError, config::ConfigError. Nothing: Ctrl-C.
std::optional<std::string> sweep_start(const std::filesystem::path& configs, const Target& target,
                                       const std::string& run);

/// The names that `machine_start` begins from, templates first.
std::vector<std::string> machine_starts(const std::filesystem::path& configs);

}  // namespace tsunagi::app
