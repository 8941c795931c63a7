// SPDX-License-Identifier: Apache-2.0
#include "app/shell/man_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "app/shell/wrap.hpp"
#include "experiment/version.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {
namespace {

/// `text` as roff prints it as it is: its escapes, hyphens that are minus signs, controls at a line's begin.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool line_begins = out.empty() || out.back() == '\n';
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '\'')
      out += "\\(aq";
    else if (c == '`')
      out += "\\(ga";
    else if (c == '^')
      out += "\\(ha";
    else if (c == '~')
      out += "\\(ti";
    else
      out += c;
  }
  return out;
}

/// The same in source lines that are not too long, broken at blanks, which roff fills as it likes.
std::string filled(const std::string& text) {
  std::string out, line;
  std::istringstream words(roff(text));
  for (std::string word; words >> word;) {
    if (!line.empty() && line.size() + 1 + word.size() > terminal_columns) {
      out += line + "\n";
      line.clear();
    }
    if (line.empty() && word.front() == '.') word.insert(0, "\\&");
    line += (line.empty() ? "" : " ") + word;
  }
  return out + line;
}

std::string head(const std::string& name, const std::string& summary) {
  std::string title = name;
  std::transform(title.begin(), title.end(), title.begin(), [](unsigned char c) { return std::toupper(c); });
  return fmt::format(".TH {} 1 {} \"tsunagi {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", roff(title),
                     experiment::release_date(), experiment::version(), roff(name), roff(summary));
}

/// A paragraph a line of its own; what is indented keeps its columns.
std::string text_of(const std::string& text) {
  std::string out;
  for (const std::string& p : paragraphs(text)) {
    if (p.empty()) continue;
    const std::string words = p.substr(p.find_first_not_of(' '));
    const std::size_t gap = words.find("  ");  // between an item and what it is
    if (p.front() != ' ')
      out += ".PP\n" + filled(p) + "\n";
    else if (gap == std::string::npos)
      out += ".IP \\(bu 2\n" + filled(words) + "\n";
    else
      out += ".TP\n.B " + roff(words.substr(0, gap)) + "\n" + filled(words.substr(words.find_first_not_of(' ', gap))) +
             "\n";
  }
  if (out.rfind(".PP\n", 0) == 0) out.erase(0, 4);  // not behind a heading
  return out;
}

/// Words in capitals, which stand for others, are in italics.
std::string synopsis(const std::string& usage) {
  std::string out = ".B tsunagi\n";
  std::istringstream words(usage);
  bool is_first = true;
  for (std::string word; words >> word; is_first = false)
    out += (is_first                                                      ? ".B "
            : std::isupper(static_cast<unsigned char>(word.front())) != 0 ? ".I "
                                                                          : ".RI ") +
           roff(word) + "\n";
  return out;
}

std::string option_text(const po::option_description& option) {
  const OptionNames names(option);
  std::string out = ".TP\n";
  if (!names.brief.empty()) out += "\\fB" + roff(names.brief) + "\\fR, ";
  out += "\\fB" + roff(names.full) + "\\fR";
  if (!names.value.empty()) out += " \\fI" + roff(names.value) + "\\fR";
  const std::string standard = names.standard.empty() ? "" : " (default: " + names.standard + ")";
  return out + "\n" + filled(option.description() + standard) + "\n";
}

std::string examples_of(const std::string& text) {
  std::string out = ".nf\n";
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, line.find_first_not_of(' '));
    out += roff(wrapped_command(line, terminal_columns - 8));
  }
  return out + ".fi\n";
}

/// What all commands have in common.
const char* const of_all_commands =
    ".SH EXIT STATUS\n"
    ".TP\n.B 0\nsuccess\n"
    ".TP\n.B 1\na figure misses, or a simulation failed\n"
    ".TP\n.B 2\nbad usage or config\n"
    ".TP\n.B 130\ninterrupted (Ctrl\\-C, SIGTERM, SIGHUP)\n"
    ".SH ENVIRONMENT\n"
    ".TP\n.B TSUNAGI_CONFIGS\nthe folder of published figures, machines and runs\n"
    ".TP\n.B NO_COLOR\nif it is not empty, tables have no colours\n";

std::string see_also(const std::string& but) {
  std::string out = ".SH SEE ALSO\n";
  std::vector<std::string> pages;
  if (!but.empty()) pages.emplace_back("tsunagi");
  for (const Command& command : commands())
    if (command.name != but) pages.push_back("tsunagi-" + command.name);
  for (const std::string& page : pages)
    out += fmt::format(".BR {} (1){}\n", roff(page), page == pages.back() ? "" : ",");
  return out;
}

}  // namespace

std::string man_page(const Command& command) {
  const CommandLine line = command.command_line();
  std::string out = head("tsunagi-" + command.name, command.summary);
  out += ".SH SYNOPSIS\n" + synopsis(line.usage()) + ".SH DESCRIPTION\n" + text_of(line.purpose()) + ".SH OPTIONS\n";
  for (const auto& option : line.options().options()) out += option_text(*option);
  return out + ".SH EXAMPLES\n" + examples_of(line.examples()) + of_all_commands + see_also(command.name);
}

std::string man_page() {
  std::string out = head("tsunagi", "simulate interconnects, packet by packet");
  out += ".SH SYNOPSIS\n" + synopsis("COMMAND [options]") + ".SH DESCRIPTION\n" +
         filled(
             "tsunagi simulates PCIe links, network chips, switches and hosts, packet by packet, and reports latency "
             "and bandwidth. Machines and runs are JSON files.") +
         "\n.SH COMMANDS\n";
  for (const Command& command : commands())
    out += ".TP\n.B " + roff(command.name) + "\n" + roff(command.summary) + "\n";
  out +=
      ".TP\n.B help\nexplain a command\n.SH OPTIONS\n"
      ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nprint all commands and exit\n"
      ".TP\n\\fB\\-V\\fR, \\fB\\-\\-version\\fR\nprint the version, of the models too, and exit\n";
  return out + of_all_commands + see_also("");
}

}  // namespace tsunagi::app
