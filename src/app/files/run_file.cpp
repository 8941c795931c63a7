// SPDX-License-Identifier: Apache-2.0
#include "app/files/run_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "app/files/config_files.hpp"
#include "app/files/file_kinds.hpp"
#include "app/files/input_file.hpp"
#include "app/files/plots.hpp"
#include "app/shell/exit_codes.hpp"
#include "app/shell/output.hpp"
#include "cluster/catalogs.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {

void add_run_input(CommandLine& line) {
  line.option("set", po::value<std::vector<std::string>>()->composing()->value_name("POINTER=VALUE"),
              "replace a value of the config, e.g. --set '/scenario/iterations=10', or those of many places: "
              "'[kind=pcie]/lanes=4', '**/flight=3 m'; repeatable");
  line.input(1);
  add_configs_option(line);
}

std::vector<config::Override> overrides(const po::variables_map& values) {
  std::vector<config::Override> out;
  if (values.count("set") == 0) return out;
  for (const auto& text : values["set"].as<std::vector<std::string>>()) out.push_back(config::parse_override(text));
  return out;
}

void require_kind(const config::Document& document, const std::string& wanted, const std::string& hint) {
  const auto& kinds = file_kinds();
  const auto kind =
      std::find_if(kinds.begin(), kinds.end(), [&](const FileKind& k) { return k.recognise(document.root); });
  if (kind == kinds.end() || kind->name == wanted) return;
  throw config::ConfigError(
      {{document.root.place, "",
        fmt::format("is no {}, but of type \"{}\" ({}); {}", wanted, kind->name, kind->doc, hint)}});
}

void tell(const std::vector<config::Message>& warnings) {
  static std::set<std::string> told;
  const config::ConfigError sorted(warnings);
  for (config::Message m : sorted.messages()) {
    m.text = "warning: " + m.text;
    if (told.insert(m.line()).second) write_stderr(m.line() + "\n");
  }
}

RunFile run_of(config::Document document) {
  require_kind(document, "run", "a run has \"machine\", \"library\" and \"scenario\", see `tsunagi list runs`");
  auto run = read_and_tell<RunConfig>(document);
  return {std::move(document), std::move(run)};
}

RunFile open_run(const std::string& file, const std::vector<config::Override>& overrides) {
  return run_of(config::load(file, overrides, config::resolver<RunConfig>(all_kinds())));
}

RunFile read_run(const po::variables_map& values, const std::string& command,
                 const std::vector<config::Override>& more) {
  const std::vector<std::string> files = inputs(values);
  if (files.empty()) throw UsageError(fmt::format("which run? usage: tsunagi {} RUN.json", command));
  std::vector<config::Override> all = overrides(values);
  all.insert(all.end(), more.begin(), more.end());
  config::Document document =
      load_input(input_path(values, files.front(), {"runs"}), all, config::resolver<RunConfig>(all_kinds()));
  keep_inputs(values, document.files.all());
  return run_of(std::move(document));
}

int tell_failure(const std::string& command, const config::Document& document, const runner::Outcome& outcome) {
  if (outcome.status == runner::Status::interrupted) return exit_interrupted;
  if (outcome.status == runner::Status::config_error)
    throw config::ConfigError(runner::located(outcome.config_errors, document));
  for (const std::string& message : outcome.messages)
    write_stderr(fmt::format("tsunagi {}: {}: {}\n", command, document.name, message));
  return exit_failed;
}

void check_out(const po::variables_map& values) {
  if (values.count("out") == 0 || is_stdout(values["out"].as<std::string>())) {
    if (!stdout_is_open()) throw UsageError("standard output is closed; name a file: --out FILE");
    return;
  }
  try {
    check_writable(values["out"].as<std::string>());
  } catch (const std::runtime_error& e) {
    throw UsageError(e.what());
  }
}

void keep_inputs(const po::variables_map& values, const std::vector<std::filesystem::path>& inputs) {
  if (values.count("out") != 0 && !is_stdout(values["out"].as<std::string>()))
    keep_inputs({values["out"].as<std::string>()}, inputs);
  if (values.count("plot") != 0) keep_inputs(plot_files(values), inputs);
}

void emit(const po::variables_map& values, const std::string& text) {
  if (values.count("out") == 0 || is_stdout(values["out"].as<std::string>()))
    write_stdout(text);
  else
    write_file(values["out"].as<std::string>(), text);
}

}  // namespace tsunagi::app
