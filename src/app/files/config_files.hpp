// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options.hpp>
#include <filesystem>
#include <vector>

#include "app/shell/command_line.hpp"

namespace tsunagi::app {

/// Adds `--configs DIR`.
void add_configs_option(CommandLine& line);

/// Throws UsageError if `--configs` names what is no folder.
void check_configs(const boost::program_options::variables_map& values);

/// The folder of configs that a command reads by itself: published figures, what `list` names. The first of
///  - `--configs DIR`,
///  - $TSUNAGI_CONFIGS,
///  - ./configs if it is ours: a .json file in its `figures` holds figures or known misses, or cannot be read at all
///    (so that a slip in one's own file is told, and other figures are not taken for it),
///  - what is installed beside the program (../share/tsunagi/configs) or where it was to be installed,
///  - the tree that the program was built from.
class Configs {
 public:
  explicit Configs(const boost::program_options::variables_map& values) : values_(values) {}

  /// The folder; says on standard error which it is, once, unless it was named. Throws UsageError when there is none.
  const std::filesystem::path& folder() const;
  /// The same without a word.
  std::filesystem::path found() const;

 private:
  const boost::program_options::variables_map& values_;
  mutable std::filesystem::path folder_;  // empty until somebody asks
};

/// Makes names in "$use" stand for files of that folder, as long as `values` lives: of machines where a machine
/// belongs, of parts, and of runs and scenarios.
void use_names_of_configs(const boost::program_options::variables_map& values);

/// The files of the published figures that `Configs` would find, without a word; none if there is no such folder.
std::vector<std::filesystem::path> figure_files(const boost::program_options::variables_map& values);

/// The .json files of a folder (not below it), sorted by name; none if there is no such folder.
std::vector<std::filesystem::path> json_files(const std::filesystem::path& folder);

}  // namespace tsunagi::app
