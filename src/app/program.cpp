// SPDX-License-Identifier: Apache-2.0
#include "app/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <sstream>

#include "app/commands.hpp"
#include "app/files/config_files.hpp"
#include "app/shell/complete.hpp"
#include "app/shell/exit_codes.hpp"
#include "app/shell/man_page.hpp"
#include "app/shell/output.hpp"
#include "app/shell/wrap.hpp"
#include "config/config.hpp"
#include "config/suggest.hpp"
#include "config/text/printable.hpp"
#include "experiment/version.hpp"

namespace tsunagi::app {
namespace {

/// A command and what it does, which goes on below itself.
std::string overview_line(const std::string& name, const std::string& summary) {
  constexpr std::size_t indent = 14;
  std::istringstream lines(wrapped(summary, terminal_columns - indent));
  std::string out;
  for (std::string line; std::getline(lines, line);)
    out += fmt::format("{:<{}}{}\n", out.empty() ? "  " + name : "", indent, line);
  return out;
}

std::string overview() {
  std::string out =
      "tsunagi simulates interconnects: PCIe links, network chips, switches and hosts, packet by packet.\n\n"
      "Usage: tsunagi COMMAND [options]\n\nCommands:\n";
  for (const Command& command : commands()) out += overview_line(command.name, command.summary);
  out += overview_line("help", "explain a command: tsunagi help run (--man: as a man page)");
  out +=
      "\nOptions:\n  -h, --help     print this and exit\n  -V, --version  print the version, of the models too, and "
      "exit\n\n"
      "Start with:\n  tsunagi run configs/runs/tca_pio_ping_pong.json\n  tsunagi check --system peach2\n\n"
      "Exit codes: 0 success, 1 a figure misses or a simulation failed, 2 bad usage or config, 130 Ctrl-C.\n";
  return wrapped(out);
}

const Command& find_command(const std::string& name) {
  if (name.rfind('-', 0) == 0) throw UsageError(config::detail::unknown("option", name, {"--help", "--version"}));
  std::vector<std::string> known;
  for (const Command& command : commands()) {
    if (command.name == name) return command;
    known.push_back(command.name);
  }
  known.emplace_back("help");
  throw UsageError(config::detail::unknown("command", name, known));
}

int help(std::vector<std::string> topics) {
  const auto man = std::remove(topics.begin(), topics.end(), "--man");
  const bool as_man_page = man != topics.end();
  topics.erase(man, topics.end());
  if (topics.size() > 1) throw UsageError("help explains one command at a time: tsunagi help run");
  if (topics.empty()) {
    write_stdout(as_man_page ? man_page() : overview());
  } else {
    if (topics.front() == "help" || topics.front() == "--help" || topics.front() == "-h") return help({});
    const Command& command = find_command(topics.front());
    write_stdout(as_man_page ? man_page(command) : command.command_line().help());
  }
  return exit_ok;
}

int run_named(const Command& command, const std::vector<std::string>& arguments) {
  try {
    const CommandLine line = command.command_line();
    const auto values = line.parse(arguments);
    if (values.count("quiet") != 0) be_quiet();
    use_names_of_configs(values);
    if (values.count("help") == 0) return command.run(values);
    write_stdout(line.help());
    return exit_ok;
  } catch (const UsageError& e) {
    write_stderr(fmt::format("tsunagi {}: {} (see: tsunagi {} --help)\n", command.name, config::printable(e.what()),
                             command.name));
    return exit_bad_input;
  }
}

int dispatch(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front() == "--help" || arguments.front() == "-h") return help({});
  if (arguments.front() == "help") return help({arguments.begin() + 1, arguments.end()});
  if (arguments.front() == "__complete") {
    write_stdout(completions({arguments.begin() + 1, arguments.end()}));
    return exit_ok;
  }
  if (arguments.front() == "--version" || arguments.front() == "-V") {
    write_stdout(fmt::format("tsunagi {}\n", experiment::model_version()));
    return exit_ok;
  }
  return run_named(find_command(arguments.front()), {arguments.begin() + 1, arguments.end()});
}

}  // namespace

int program(const std::vector<std::string>& arguments) {
  try {
    return dispatch(arguments);
  } catch (const UsageError& e) {
    write_stderr(fmt::format("tsunagi: {} (see: tsunagi --help)\n", config::printable(e.what())));
    return exit_bad_input;
  } catch (const config::ConfigError& e) {
    write_stderr(fmt::format("{}\n", e.what()));
    return exit_bad_input;
  } catch (const std::exception& e) {
    write_stderr(fmt::format("tsunagi: {}\n", config::told_by(e)));
    return exit_failed;
  }
}

}  // namespace tsunagi::app
