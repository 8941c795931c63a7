// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "app/shell/errors.hpp"

namespace tsunagi::app {

/// How an option is written.
struct OptionNames {
  explicit OptionNames(const boost::program_options::option_description& option);
  /// "-j, --jobs N".
  std::string all() const;

  std::string full;      ///< "--jobs"
  std::string brief;     ///< "-j"; may be empty
  std::string value;     ///< "N"; empty: it takes none
  std::string standard;  ///< what the value is without it; may be empty
};

/// What one subcommand takes, and how it explains itself.
class CommandLine {
 public:
  /// `usage`: "run RUN.json [options]"; `purpose` and `examples`: paragraphs of its --help.
  CommandLine(std::string usage, std::string purpose, std::string examples);

  /// Adds an option as Boost.Program_options does: "jobs,j", semantic, text.
  void option(const char* name, const boost::program_options::value_semantic* semantic, const char* text);
  void flag(const char* name, const char* text);
  /// What the value of an option may be, or of "input" a word that is none, for shells that complete it. Without this
  /// they go by the value's name: FILE, DIR, or x|y|z in the usage.
  void completes(const std::string& name, std::function<std::vector<std::string>()> words);
  void completes(const std::string& name, std::vector<std::string> words);
  /// Allows that many words that are no options (-1: any number); they are the values of "input".
  void input(int at_most);
  /// Allows any words behind "--", which are then no words of ours; `usage` names them, "[-- OPTIONS]".
  void behind_dashes(std::string usage);

  /// Throws UsageError for an unknown option, a wrong value or too many words.
  boost::program_options::variables_map parse(const std::vector<std::string>& arguments) const;
  /// Purpose, usage, options and examples, in 80 columns.
  std::string help() const;

  // The same, for other ways to tell it.
  const std::string& usage() const { return usage_; }
  const std::string& purpose() const { return purpose_; }
  const std::string& examples() const { return examples_; }
  const boost::program_options::options_description& options() const { return options_; }
  /// Null if nothing was said of it.
  const std::function<std::vector<std::string>()>* completion(const std::string& name) const;

 private:
  std::string usage_;
  std::string purpose_;
  std::string examples_;
  int inputs_ = 0;
  bool has_more_ = false;
  boost::program_options::options_description options_;
  std::map<std::string, std::function<std::vector<std::string>()>> completions_;
};

/// The words that are no options.
std::vector<std::string> inputs(const boost::program_options::variables_map& values);

/// The words behind "--".
std::vector<std::string> behind_dashes(const boost::program_options::variables_map& values);

/// The value of `name` checked against `choices`; UsageError names them.
std::string chosen(const boost::program_options::variables_map& values, const std::string& name,
                   const std::vector<std::string>& choices);

/// A word as a shell reads it again: in single quotes where it needs them.
std::string shell_word(const std::string& word);

}  // namespace tsunagi::app
