// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "app/commands.hpp"
#include "app/commands/diff_sides.hpp"
#include "app/commands/diff_stages.hpp"
#include "app/files/config_files.hpp"
#include "app/files/input_file.hpp"
#include "app/shell/exit_codes.hpp"
#include "app/shell/output.hpp"
#include "app/shell/output_format.hpp"
#include "app/shell/progress.hpp"
#include "experiment/simulation.hpp"
#include "report/formats/json.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {
namespace {

CommandLine diff_line() {
  CommandLine line(
      "diff A [B] [options]",
      "Says what moved from A to B: which settings differ, which rows by how much, and in which stages the time of\n"
      "the message went that moved most. Each is a file that `run --format json` wrote, a folder of a sweep's "
      "results,\n"
      "or a run, which is simulated; - is standard input. Without B: of a result, its run as this version simulates "
      "it; of a run, the same\n"
      "with --with. Rows are matched by the columns that tell them apart, points of sweeps by the values of their "
      "axes.",
      "  tsunagi diff before.json                     # what has moved since that was written\n"
      "  tsunagi diff before.json after.json\n"
      "  tsunagi diff configs/runs/tca_pio_ping_pong.json --with /machine/topology/links/0/wire/flight=100ns\n"
      "  tsunagi diff old/mps.results mps.results --format csv\n");
  line.input(2);
  add_configs_option(line);
  line.option("set", po::value<std::vector<std::string>>()->composing()->value_name("POINTER=VALUE"),
              "replace one value of each that is a run; repeatable");
  line.option("with", po::value<std::vector<std::string>>()->composing()->value_name("POINTER=VALUE"),
              "replace one value of B alone, which is A's run if it is left out; repeatable");
  line.option("format", po::value<std::string>()->default_value("table")->value_name("NAME"), "table, csv or json");
  line.option("out", po::value<std::string>()->value_name("FILE"),
              "write there; - or none: to standard output. Its extension chooses the format: .txt, .csv, .json");
  line.completes("format", {"table", "csv", "json"});
  line.flag("no-stages", "leave out in which stages the time went, which takes two more simulations");
  line.flag("exit-code", "exit with 1 when a row moved or only one has it (else with 0)");
  return line;
}

std::vector<config::Override> parsed(const po::variables_map& values, const char* option) {
  std::vector<config::Override> out;
  if (values.count(option) == 0) return out;
  for (const auto& text : values[option].as<std::vector<std::string>>()) out.push_back(config::parse_override(text));
  return out;
}

struct Sides {
  DiffSide a;
  DiffSide b;
};

Sides open_sides(const po::variables_map& values) {
  std::vector<std::string> names = inputs(values);
  if (names.empty()) throw UsageError("what is to be compared? usage: tsunagi diff A [B]");
  for (std::string& name : names) name = input_path(values, name, {"runs"});
  const std::vector<config::Override> set = parsed(values, "set");
  std::vector<config::Override> with = set;
  for (const config::Override& o : parsed(values, "with")) with.push_back(o);
  DiffSide a = open_side(names.front(), set);
  if (names.size() == 1 && a.side.kind == "sweep")
    throw UsageError(fmt::format("{} is a folder of results; name another to compare it with", names.front()));
  if (names.size() == 1 && a.is_run() && with.size() == set.size())
    throw UsageError("a run alone is compared with itself and --with POINTER=VALUE, or name B");
  DiffSide b = names.size() == 2 ? open_side(names.back(), with)
               : a.is_run()      ? open_side(names.front(), with)
                                 : rerun_of(a, with);
  if (!b.is_run() && with.size() > set.size())
    throw UsageError(fmt::format("--with changes the run B, but {} is a {}", b.side.name, b.side.kind));
  if (!a.is_run() && !b.is_run() && !set.empty()) throw UsageError("--set changes runs, and neither A nor B is one");
  return {std::move(a), std::move(b)};
}

/// Simulates those that are runs and fills their tables. The exit code when that failed.
int simulate_sides(Sides& sides) {
  std::vector<DiffSide*> runs;
  std::vector<RunConfig> configs;
  for (DiffSide* side : {&sides.a, &sides.b})
    if (side->is_run()) {
      runs.push_back(side);
      configs.push_back(side->run->config);
    }
  runner::Options options = diff_options();
  const auto outcomes = [&] {
    const RunProgress progress(options);
    return runner::run_many(configs, experiment::simulation(), options);
  }();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (outcomes[i].status != runner::Status::ok) return tell_failure("diff", runs[i]->run->document, outcomes[i]);
    runs[i]->side.table = compare::table_of(report::rows_to_json(outcomes[i].rows));
  }
  return exit_ok;
}

compare::RowsDifference rows_of(const Sides& sides) {
  try {
    return compare::difference(sides.a.side.table, sides.b.side.table);
  } catch (const std::invalid_argument& e) {
    throw UsageError(fmt::format("{} and {} cannot be compared: {}", sides.a.side.name, sides.b.side.name, e.what()));
  }
}

int run_diff(const po::variables_map& values) {
  const std::string format = output_format(values, {"table", "csv", "json"});
  check_out(values);
  Sides sides = open_sides(values);
  for (const DiffSide* side : {&sides.a, &sides.b}) {
    keep_inputs(values, side->files);
    for (const std::string& line : side->odd) write_stderr(fmt::format("tsunagi diff: {}\n", line));
  }
  if (const int failed = simulate_sides(sides); failed != exit_ok) return failed;
  compare::Report report{sides.a.side, sides.b.side, std::nullopt, rows_of(sides), {}, "", ""};
  if (sides.a.config && sides.b.config) report.settings = compare::differences(*sides.a.config, *sides.b.config);
  const bool stages = format != "csv" && values.count("no-stages") == 0;
  if (stages && !explain_moved(sides.a, sides.b, report)) return exit_interrupted;
  emit(values,
       format == "json"
           ? compare::to_json(report).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n"
       : format == "csv" ? compare::csv(report)
                         : compare::text(report));
  return values.count("exit-code") != 0 && report.rows.moved() ? exit_failed : exit_ok;
}

}  // namespace

Command diff_command() { return {"diff", "say what moved between two runs, results or sweeps", diff_line, run_diff}; }

}  // namespace tsunagi::app
