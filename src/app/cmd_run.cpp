// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/run_file.hpp"
#include "app/simulation.hpp"
#include "app/version.hpp"
#include "report/catalog.hpp"
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
  add_run_input(line);
  line.option("format", po::value<std::string>()->default_value("table")->value_name("NAME"),
              "how to print the rows: table, csv or json");
  line.option("out", po::value<std::string>()->value_name("FILE"), "write there instead of to standard output");
  line.flag("print-config", "print the fully resolved config as JSON and exit; nothing is simulated");
  return line;
}

int run(const po::variables_map& values) {
  const report::Writer& writer = *report::find_writer(chosen(values, "format", formats()));
  check_out(values);
  const RunFile file = read_run(values, "run");
  auto config = file.config;
  const nlohmann::ordered_json resolved = config::resolved(config);
  if (values.count("print-config") != 0) {
    emit(values, resolved.dump(2) + "\n");
    return exit_ok;
  }
  const runner::Outcome outcome = runner::run_one(config, simulation());
  if (outcome.status != runner::Status::ok) return tell_failure("run", file.document, outcome);
  emit(values, writer.write({version(), config.title, resolved, outcome.rows, outcome.cost}));
  return exit_ok;
}

}  // namespace

Command run_command() { return {"run", "simulate one run and print what it measured", command_line, run}; }

}  // namespace tsunagi::app
