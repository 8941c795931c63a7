// SPDX-License-Identifier: Apache-2.0
#include "app/shell/complete.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/commands.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {
namespace {

using Words = std::vector<std::string>;
using Option = po::option_description;

bool begins_with(const std::string& text, const std::string& begin) { return text.rfind(begin, 0) == 0; }

/// CompletionList that begin as what is there.
class CompletionList {
 public:
  /// `typed` is to be completed; `before` stands before each candidate.
  explicit CompletionList(std::string typed, std::string before = "")
      : typed_(std::move(typed)), before_(std::move(before)) {}
  void add(const std::string& word, std::string what = "") {
    std::replace(what.begin(), what.end(), '\n', ' ');
    if (begins_with(word, typed_)) text_ += fmt::format("{}{}\t{}\n", before_, word, what);
  }
  void add(const Words& words) {
    for (const std::string& word : words) add(word);
  }
  const std::string& text() const { return text_; }

 private:
  std::string typed_;
  std::string before_;
  std::string text_;
};

void add_commands(CompletionList& out) {
  for (const Command& command : commands()) out.add(command.name, command.summary);
}

std::string first_words(const std::string& typed) {
  CompletionList out(typed);
  add_commands(out);
  out.add("help", "explain a command");
  if (begins_with(typed, "-")) {
    out.add("--help", "print all commands");
    out.add("--version", "print the version, of the models too");
  }
  return out.text();
}

/// The option that a word names, if it takes a value.
const Option* with_value(const CommandLine& line, const std::string& word) {
  for (const auto& option : line.options().options()) {
    const OptionNames names(*option);
    const bool is_it = word == names.full || (!word.empty() && word == names.brief);
    if (is_it && !names.value.empty()) return option.get();
  }
  return nullptr;
}

/// What a file is called in a usage or as an option's value: its extension tells which. Empty: it is called otherwise.
std::string files_of(const std::string& name) {
  if (name == "DIR") return ":folders\n";
  if (begins_with(name, "FILE")) return ":files\n";
  return name.size() > 5 && name.compare(name.size() - 5, 5, ".json") == 0 ? ":files .json\n" : "";
}

std::string values_of(const CommandLine& line, const Option& option, CompletionList out) {
  if (const auto* words = line.completion(option.long_name())) {
    out.add((*words)());
    return out.text();
  }
  return files_of(OptionNames(option).value);
}

Words split(const std::string& text, const std::string& at) {
  Words out(1);
  for (const char c : text)
    if (at.find(c) == std::string::npos)
      out.back() += c;
    else
      out.emplace_back();
  return out;
}

/// What the words of the usage say that are no options: choices, and names of files.
std::string inputs_of(const CommandLine& line, CompletionList out) {
  if (const auto* words = line.completion("input")) {
    out.add((*words)());
    return out.text();
  }
  std::string files;
  bool is_name = true;  // of the command
  for (const std::string& part : split(line.usage(), " ")) {
    std::string word = part;
    for (const char c : {'[', ']', '.'})
      while (!word.empty() && word.back() == c) word.pop_back();
    while (!word.empty() && word.front() == '[') word.erase(0, 1);
    if (is_name || word.empty() || word.front() == '-') {
      if (!is_name) break;  // what follows are options
      is_name = false;
      continue;
    }
    if (word.find('|') != std::string::npos)
      out.add(split(word, "|"));
    else if (files.empty())
      files = word.size() == 1 ? ":files\n" : files_of(word);  // A, B: of several types
  }
  return out.text().empty() ? files : out.text();
}

std::string options_of(const CommandLine& line, const std::string& typed) {
  CompletionList out(typed);
  for (const auto& option : line.options().options()) out.add("--" + option->long_name(), option->description());
  return out.text();
}

std::string behind_command(const CommandLine& line, Words words) {
  // bash parts "--format=json" into three words.
  for (std::size_t i = words.size(); i-- > 1;)
    if (words[i] == "=" && begins_with(words[i - 1], "--")) {
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
      if (i == words.size()) words.emplace_back();
    }
  const std::string typed = words.back();
  if (words.size() > 1)
    if (const Option* option = with_value(line, words[words.size() - 2]))
      return values_of(line, *option, CompletionList(typed));
  if (const std::size_t equals = typed.find('='); begins_with(typed, "--") && equals != std::string::npos) {
    const Option* option = with_value(line, typed.substr(0, equals));
    const std::string before = typed.substr(0, equals + 1);
    return option == nullptr ? "" : values_of(line, *option, CompletionList(typed.substr(equals + 1), before));
  }
  return begins_with(typed, "-") ? options_of(line, typed) : inputs_of(line, CompletionList(typed));
}

}  // namespace

std::string completions(const Words& words) {
  if (words.size() < 2) return first_words(words.empty() ? "" : words.front());
  if (words.front() == "help") {
    CompletionList out(words.back());
    if (words.size() == 2) add_commands(out);
    return out.text();
  }
  for (const Command& command : commands())
    if (command.name == words.front()) return behind_command(command.command_line(), {words.begin() + 1, words.end()});
  return "";
}

}  // namespace tsunagi::app
