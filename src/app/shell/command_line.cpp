// SPDX-License-Identifier: Apache-2.0
#include "app/shell/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "app/shell/wrap.hpp"
#include "config/suggest.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {
namespace {

const char* const behind = "--";  // no option can be called so

/// "  --out FILE  write there": the texts below each other.
std::string option_list(const po::options_description& options) {
  std::size_t width = 0;
  for (const auto& option : options.options()) width = std::max(width, OptionNames(*option).all().size());
  std::string out = "Options:\n";
  for (const auto& option : options.options()) {
    const OptionNames names(*option);
    const std::string standard = names.standard.empty() ? "" : " (default: " + names.standard + ")";
    std::istringstream lines(wrapped(option->description() + standard, terminal_columns - width - 4));
    std::string left = names.all();
    for (std::string line; std::getline(lines, line); left.clear())
      out += fmt::format("  {:<{}}  {}\n", left, width, line);
  }
  return out;
}

std::string unknown_option(const po::options_description& options, const std::string& given) {
  std::vector<std::string> known;
  for (const auto& option : options.options()) known.push_back("--" + option->long_name());
  std::sort(known.begin(), known.end());
  return config::detail::unknown("option", given, known);
}

}  // namespace

OptionNames::OptionNames(const po::option_description& option) : full("--" + option.long_name()) {
  const std::string first = option.canonical_display_name(po::command_line_style::allow_dash_for_short);
  if (first.size() == 2 && first.front() == '-') brief = first;
  const std::string parameter = option.format_parameter();
  value = parameter.substr(0, parameter.find(" (="));
  if (value.size() < parameter.size())
    standard = parameter.substr(value.size() + 3, parameter.size() - value.size() - 4);
}

std::string OptionNames::all() const {
  return (brief.empty() ? "" : brief + ", ") + full + (value.empty() ? "" : " " + value);
}

CommandLine::CommandLine(std::string usage, std::string purpose, std::string examples)
    : usage_(std::move(usage)), purpose_(std::move(purpose)), examples_(std::move(examples)), options_("Options") {
  flag("help,h", "print this and exit");
  flag("quiet,q", "no progress and no notes; errors and warnings stay");
}

void CommandLine::option(const char* name, const po::value_semantic* semantic, const char* text) {
  options_.add_options()(name, semantic, text);
}

void CommandLine::flag(const char* name, const char* text) { options_.add_options()(name, text); }

void CommandLine::completes(const std::string& name, std::function<std::vector<std::string>()> words) {
  completions_[name] = std::move(words);
}

void CommandLine::completes(const std::string& name, std::vector<std::string> words) {
  completes(name, [words = std::move(words)] { return words; });
}

const std::function<std::vector<std::string>()>* CommandLine::completion(const std::string& name) const {
  const auto found = completions_.find(name);
  return found == completions_.end() ? nullptr : &found->second;
}

void CommandLine::input(int at_most) { inputs_ = at_most; }

void CommandLine::behind_dashes(std::string usage) {
  has_more_ = true;
  usage_ += " " + std::move(usage);
}

po::variables_map CommandLine::parse(const std::vector<std::string>& arguments) const {
  po::options_description all;
  all.add(options_);
  all.add_options()("input", po::value<std::vector<std::string>>(), "");
  po::positional_options_description positional;
  positional.add("input", -1);
  using Style = po::command_line_style::style_t;
  const int style = po::command_line_style::unix_style & ~Style::allow_guessing;
  po::variables_map values;
  const auto dashes = has_more_ ? std::find(arguments.begin(), arguments.end(), "--") : arguments.end();
  if (dashes != arguments.end())
    values.insert({behind, po::variable_value(std::vector<std::string>(dashes + 1, arguments.end()), false)});
  try {
    const std::vector<std::string> own(arguments.begin(), dashes);
    const auto parsed = po::command_line_parser(own).options(all).positional(positional).style(style).run();
    po::store(parsed, values);
    po::notify(values);
  } catch (const po::unknown_option& e) {
    throw UsageError(unknown_option(options_, e.get_option_name()) +
                     (has_more_ ? "; options for another program stand behind --" : ""));
  } catch (const po::error& e) {
    throw UsageError(e.what());
  }
  const std::vector<std::string> words = inputs(values);
  if (inputs_ >= 0 && words.size() > static_cast<std::size_t>(inputs_) && values.count("help") == 0)
    throw UsageError(
        fmt::format("unexpected \"{}\"; usage: tsunagi {}", words[static_cast<std::size_t>(inputs_)], usage_));
  return values;
}

std::string CommandLine::help() const {
  std::string examples;
  std::istringstream lines(examples_);
  for (std::string line; std::getline(lines, line);) examples += wrapped_command(line);
  const bool named = usage_.find(".json") != std::string::npos;
  const char* const files = "A .json is a file, a name that `tsunagi list` prints, or -: standard input.";
  return fmt::format("{}\n{}{}\n{}\nExamples:\n{}", wrapped(purpose_), wrapped("Usage: tsunagi " + usage_),
                     named ? wrapped(files) : "", option_list(options_), examples);
}

std::vector<std::string> inputs(const po::variables_map& values) {
  return values.count("input") == 0 ? std::vector<std::string>{} : values["input"].as<std::vector<std::string>>();
}

std::vector<std::string> behind_dashes(const po::variables_map& values) {
  return values.count(behind) == 0 ? std::vector<std::string>{} : values[behind].as<std::vector<std::string>>();
}

std::string chosen(const po::variables_map& values, const std::string& name, const std::vector<std::string>& choices) {
  const auto& value = values[name].as<std::string>();
  if (std::find(choices.begin(), choices.end(), value) == choices.end())
    throw UsageError(config::detail::unknown(name, value, choices));
  return value;
}

std::string shell_word(const std::string& word) {
  const bool is_plain =
      !word.empty() &&
      word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=:,+-") ==
          std::string::npos;
  if (is_plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace tsunagi::app
