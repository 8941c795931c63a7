// SPDX-License-Identifier: Apache-2.0
// What every command that takes a RUN.json shares.
#pragma once

#include <boost/program_options.hpp>
#include <filesystem>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/shell/command_line.hpp"
#include "cluster/catalogs.hpp"
#include "cluster/oddities.hpp"
#include "config/config.hpp"
#include "runner/outcome.hpp"
#include "runner/places.hpp"
#include "runner/run_config.hpp"

namespace tsunagi::app {

/// Adds `--set` and the one word that names the run.
void add_run_input(CommandLine& line);

/// The values of `--set`. Throws config::ConfigError.
std::vector<config::Override> overrides(const boost::program_options::variables_map& values);

/// Throws config::ConfigError, with the hint, if a document is recognised as another kind of file than the wanted one
/// ("run"): its reader would complain of every key.
void require_kind(const config::Document& document, const std::string& wanted, const std::string& hint);

/// Tells on standard error what is odd about a config; what has been told is not told again.
void tell(const std::vector<config::Message>& warnings);

/// Reads a config, and tells what is odd about it. Throws config::ConfigError.
template <class C>
C read_and_tell(const config::Document& document) {
  std::vector<config::Message> warnings;
  C out = config::read<C>(document, all_kinds(), &warnings);
  if constexpr (std::is_same_v<C, RunConfig>)
    for (config::Message& m : runner::located(oddities(out), document)) warnings.push_back(std::move(m));
  tell(warnings);
  return out;
}

/// A run's file as it was read.
struct RunFile {
  config::Document document;
  RunConfig config;
};

/// Reads a run, with overrides applied. Throws config::ConfigError if it is wrong or no run at all.
RunFile open_run(const std::string& file, const std::vector<config::Override>& overrides);
/// The same of a document.
RunFile run_of(config::Document document);

/// Reads the run that the command line names, with `--set` and then `more` applied; `command` is for the usage message.
/// Throws UsageError if none is named or the output is one of the files that it is read from, config::ConfigError if it
/// is wrong or no run at all.
RunFile read_run(const boost::program_options::variables_map& values, const std::string& command,
                 const std::vector<config::Override>& more = {});

/// Exit code of a run that did not end well, its messages told on standard error. Throws config::ConfigError.
int tell_failure(const std::string& command, const config::Document& document, const runner::Outcome& outcome);

/// Checks the file that `--out` names, if it is given. Throws UsageError if it cannot be written.
void check_out(const boost::program_options::variables_map& values);

/// Throws UsageError if what `--out` or `--plot` would write is one of `inputs`, by whatever name.
void keep_inputs(const boost::program_options::variables_map& values, const std::vector<std::filesystem::path>& inputs);

/// Writes a result to the file that `--out` names; to standard output if that is "-" or is not given.
void emit(const boost::program_options::variables_map& values, const std::string& text);

}  // namespace tsunagi::app
