// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/catalogs.hpp"
#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/file_kinds.hpp"
#include "app/output.hpp"
#include "app/simulation.hpp"
#include "app/version.hpp"
#include "config/config.hpp"
#include "report/catalog.hpp"
#include "runner/places.hpp"
#include "runner/runner.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {
namespace {

std::vector<std::string> formats() {
  std::vector<std::string> names;
  for (const report::Writer& writer : report::writers()) names.push_back(writer.name);
  return names;
}

CommandLine command_line() {
  CommandLine line(
      "run RUN.json [options]",
      "Simulates one run and prints one table of what it measured.\n"
      "A run is a machine, a communication library and a scenario; see `tsunagi list`.",
      "  tsunagi run configs/runs/tca_pio_ping_pong.json\n"
      "  tsunagi run configs/runs/tca_pio_ping_pong.json --set /options/seed=7 --format csv --out pio.csv\n");
  line.option("set", po::value<std::vector<std::string>>()->composing()->value_name("POINTER=VALUE"),
              "replace one value of the config, e.g. --set '/scenario/iterations=10'; repeatable");
  line.option("format", po::value<std::string>()->default_value("table")->value_name("NAME"),
              "how to print the rows: table, csv or json");
  line.option("out", po::value<std::string>()->value_name("FILE"), "write there instead of to standard output");
  line.flag("print-config", "print the fully resolved config as JSON and exit; nothing is simulated");
  line.input(1);
  return line;
}

std::vector<config::Override> overrides(const po::variables_map& values) {
  std::vector<config::Override> out;
  if (values.count("set") == 0) return out;
  for (const auto& text : values["set"].as<std::vector<std::string>>()) out.push_back(config::parse_override(text));
  return out;
}

void emit(const po::variables_map& values, const std::string& text) {
  if (values.count("out") == 0)
    write_stdout(text);
  else
    write_file(values["out"].as<std::string>(), text);
}

/// A machine or a part given as a run would get one complaint a key.
void refuse_other_kind(const config::Document& document) {
  const auto& kinds = file_kinds();
  const auto kind =
      std::find_if(kinds.begin(), kinds.end(), [&](const FileKind& k) { return k.recognise(document.root); });
  if (kind == kinds.end() || kind->name == std::string("run")) return;
  throw config::ConfigError({{document.root.place, "",
                              fmt::format("is no run, but of type \"{}\" ({}); a run has \"machine\", \"library\" "
                                          "and \"scenario\", see `tsunagi list runs`",
                                          kind->name, kind->doc)}});
}

/// Exit code of a run that did not end well, its messages told. Throws config::ConfigError.
int tell_failure(const config::Document& document, const runner::Outcome& outcome) {
  if (outcome.status == runner::Status::interrupted) return exit_interrupted;
  if (outcome.status == runner::Status::config_error)
    throw config::ConfigError(runner::located(outcome.config_errors, document));
  for (const std::string& message : outcome.messages)
    write_stderr(fmt::format("tsunagi run: {}: {}\n", document.name, message));
  return exit_failed;
}

int run(const po::variables_map& values) {
  const std::vector<std::string> files = inputs(values);
  if (files.empty()) throw UsageError("which run? usage: tsunagi run RUN.json");
  const report::Writer& writer = *report::find_writer(chosen(values, "format", formats()));
  if (values.count("out") != 0) {
    try {
      check_writable(values["out"].as<std::string>());
    } catch (const std::runtime_error& e) {
      throw UsageError(e.what());
    }
  }
  const config::Document document = config::load(files.front(), overrides(values));
  refuse_other_kind(document);
  auto config = config::read<RunConfig>(document, all_kinds());
  const nlohmann::ordered_json resolved = config::resolved(config);
  if (values.count("print-config") != 0) {
    emit(values, resolved.dump(2) + "\n");
    return exit_ok;
  }
  const runner::Outcome outcome = runner::run_one(config, simulation());
  if (outcome.status != runner::Status::ok) return tell_failure(document, outcome);
  emit(values, writer.write({version(), config.title, resolved, outcome.rows, outcome.cost}));
  return exit_ok;
}

}  // namespace

Command run_command() { return {"run", "simulate one run and print what it measured", command_line, run}; }

}  // namespace tsunagi::app
