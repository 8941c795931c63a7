// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "app/commands.hpp"
#include "app/commands/row_alone.hpp"
#include "app/files/plots.hpp"
#include "app/files/run_file.hpp"
#include "app/shell/exit_codes.hpp"
#include "app/shell/output.hpp"
#include "app/shell/output_format.hpp"
#include "app/shell/progress.hpp"
#include "app/sweep/sweep_orders.hpp"
#include "cluster/catalogs.hpp"
#include "experiment/simulation.hpp"
#include "experiment/version.hpp"
#include "report/catalog.hpp"
#include "runner/runner.hpp"
#include "runner/title.hpp"
#include "sweep/collect/collect.hpp"
#include "sweep/plan/plan.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {
namespace {

std::vector<std::string> formats() {
  std::vector<std::string> names;
  for (const report::Writer& writer : report::writers()) names.push_back(writer.name);
  return names;
}

CommandLine run_line() {
  CommandLine line(
      "run RUN.json [options]",
      "Simulates one run and prints one table of what it measured.\n"
      "A run is a machine, a communication library and a scenario; see `tsunagi list`.",
      "  tsunagi run configs/runs/tca_pio_ping_pong.json\n"
      "  tsunagi run configs/runs/tca_pio_ping_pong.json --set /options/seed=7 --format csv --out pio.csv\n"
      "  tsunagi run configs/runs/tca_pio_ping_pong.json --vary /options/max_train=1,64\n");
  add_run_input(line);
  line.option("format", po::value<std::string>()->default_value("table")->value_name("NAME"),
              "how to print the rows: table, csv or json");
  line.completes("format", formats());
  line.option("vary", po::value<std::vector<std::string>>()->composing()->value_name("POINTER=V1,V2,..."),
              "run with each of these values, in one table; repeatable: all combinations");
  line.option("jobs,j", po::value<int>()->value_name("N"), "with --vary: simulations at a time (default: one a core)");
  line.option("out", po::value<std::string>()->value_name("FILE"),
              "write there; - or none: to standard output. Its extension chooses the format: .txt, .csv, .json");
  line.flag(
      "counters",
      "also print what each direction of each wire counted: packets, bytes, link-layer packets, replays, waits for "
      "credits; in json as \"counters\", in csv instead of the rows");
  line.flag("accounts",
            "also print how long each step of the library took, and who copied what messages carried; always in json, "
            "as \"accounts\", in csv instead of the rows");
  line.flag("explain",
            "with json, also explain each row, as `explain` does: then `diff` can tell of these rows in which stages "
            "another version spends their time; takes another simulation a row");
  add_plot_options(line);
  line.flag("print-config", "print the fully resolved config as JSON and exit; nothing is simulated");
  return line;
}

/// Those of which there are results.
sweep::Points finished(const sweep::Points& points, const sweep::Results& results) {
  std::vector<std::size_t> there;
  for (std::size_t i = 0; i < points.size; ++i)
    if (results.find(points.at(i).id)) there.push_back(i);
  sweep::Points out = points;
  out.size = there.size();
  out.at = [at = points.at, there](std::size_t i) { return at(there[i]); };
  return out;
}

/// Runs every combination of the values of --vary and prints one table, the axes as its first columns.
int run_varied(const po::variables_map& values, const report::Writer& writer) {
  if (values.count("print-config") != 0) throw UsageError("--print-config prints one config; leave out --vary");
  if (values.count("counters") != 0) throw UsageError("--counters tells of the wires of one run; leave out --vary");
  if (values.count("accounts") != 0) throw UsageError("--accounts tells of the steps of one run; leave out --vary");
  if (values.count("explain") != 0) throw UsageError("--explain tells of the rows of one run; leave out --vary");
  RunFile file = read_run(values, "run");
  const sweep::Sweep varied = sweep::from_vary(file.document, values["vary"].as<std::vector<std::string>>());
  const sweep::Plan plan(varied, all_kinds(), experiment::model_version());
  tell(runner::title_faults(file.document, sweep::varied(varied)));
  keep_inputs(values, plan.files());
  const sweep::Points points = sweep::points_of(plan, all_kinds());
  sweep::Orders orders;
  orders.runner.jobs = jobs(values);
  sweep::MemoryResults results;
  const bool interrupted = run_with_progress(points, results, orders).interrupted;
  sweep::TableCollector table(points.axes);
  Complaints complaints;
  const sweep::Summary all = sweep::collect(interrupted ? finished(points, results) : points, results, table,
                                            [&](const std::string& line) { complaints.tell(line); });
  complaints.end();
  tell_idle(all.idle);
  file.config.title = runner::title_of(file.document, sweep::varied(varied));
  const auto resolved = [&] { return config::resolved(file.config); };
  const auto text = [&] {
    return writer.write({experiment::model_version(), file.config.title, resolved, table.rows(), table.cost(), nullptr,
                         false, interrupted || all.failed > 0});
  };
  if (interrupted) {
    write_stderr(
        fmt::format("interrupted: these are the rows of {} of {} points; `tsunagi sweep` keeps what has ended\n",
                    all.ok, points.size));
    if (all.ok > 0) emit(values, text());
    return exit_interrupted;
  }
  if (all.ok > 0) emit_and_plot(values, text(), {file.config.title, table.rows(), file.document, plan.axes().size()});
  return all.failed > 0 ? exit_failed : exit_ok;
}

runner::Outcome simulated(const RunConfig& run, bool counters) {
  runner::Options options;
  options.patience_s = patience_s;
  const RunProgress progress(options);
  return runner::run_one(run, experiment::simulation(counters), options);
}

/// What explains each row; nothing: interrupted.
std::optional<nlohmann::ordered_json> explained(const nlohmann::ordered_json& config, const std::string& name,
                                                const report::Rows& rows) {
  runner::Options options;
  options.jobs = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 2u));
  const RunProgress progress(options);
  return explained_rows(config, name, rows, options);
}

/// Says how many rows of a run there are that did not come to its end.
void tell_incomplete(const config::Document& document, const runner::Outcome& outcome) {
  const std::size_t rows = outcome.rows.rows.size();
  const std::string why = outcome.status == runner::Status::interrupted ? "interrupted" : "ended";
  const std::string at =
      fmt::format("tsunagi run: {}: {} at {}", document.name, why, rounded_time(outcome.cost.simulated));
  if (outcome.incomplete && rows > 0)
    write_stderr(fmt::format("{}; incomplete: {} row{}\n", at, rows, rows == 1 ? "" : "s"));
  else if (outcome.status == runner::Status::interrupted)
    write_stderr(at + ", before its first row\n");
}

int run_run(const po::variables_map& values) {
  check_out(values);
  check_plots(values);
  const report::Writer& writer = *report::find_writer(output_format(values, formats()));
  for (const char* beside : {"counters", "accounts"})
    if (values.count(beside) != 0 && values.count("term") != 0 && values.count("out") == 0)
      throw UsageError(fmt::format("--{} are printed with the rows, which --term replaces; add --out", beside));
  if (values.count("counters") != 0 && values.count("accounts") != 0 && writer.name == "csv")
    throw UsageError("csv is one table: --counters or --accounts");
  if (values.count("explain") != 0 && writer.name != "json")
    throw UsageError("--explain adds to json; add --format json, or see `tsunagi explain`");
  if (values.count("vary") != 0) return run_varied(values, writer);
  if (values.count("jobs") != 0) throw UsageError("--jobs is for many runs; add --vary");
  const RunFile file = read_run(values, "run");
  auto config = file.config;
  const auto resolved = [&] { return config::resolved(config); };
  if (values.count("print-config") != 0) {
    emit(values, resolved().dump(2) + "\n");
    return exit_ok;
  }
  config.title = runner::title_of(file.document);
  tell(runner::title_faults(file.document));
  const bool counters = values.count("counters") != 0;
  const runner::Outcome outcome = simulated(config, counters);
  std::optional<nlohmann::ordered_json> explanations;
  const auto text = [&] {
    return writer.write({experiment::model_version(), config.title, resolved, outcome.rows, outcome.cost,
                         counters ? &outcome.counters : nullptr, values.count("accounts") != 0, outcome.incomplete,
                         explanations ? &*explanations : nullptr});
  };
  if (outcome.status != runner::Status::ok) {
    if (!outcome.rows.rows.empty()) emit(values, text());  // some are missing; or they beat a bound, and say so
    const int failed = tell_failure("run", file.document, outcome);
    tell_incomplete(file.document, outcome);
    return failed;
  }
  if (values.count("explain") != 0) {
    explanations = explained(resolved(), file.document.name, outcome.rows);
    if (!explanations) return exit_interrupted;
  }
  emit_and_plot(values, text(), {config.title, outcome.rows, file.document});
  return exit_ok;
}

}  // namespace

Command run_command() { return {"run", "simulate one run and print what it measured", run_line, run_run}; }

}  // namespace tsunagi::app
