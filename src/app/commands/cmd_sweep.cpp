// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/commands.hpp"
#include "app/files/config_files.hpp"
#include "app/files/opened_sweep.hpp"
#include "app/files/plots.hpp"
#include "app/shell/exit_codes.hpp"
#include "app/shell/output.hpp"
#include "app/sweep/sweep_jobs.hpp"
#include "app/sweep/sweep_orders.hpp"
#include "cluster/catalogs.hpp"
#include "config/suggest.hpp"
#include "experiment/simulation.hpp"
#include "experiment/version.hpp"
#include "plot/plot.hpp"
#include "sweep/collect/collect.hpp"
#include "sweep/collect/listing.hpp"
#include "sweep/results/progress.hpp"
#include "sweep/results/store.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {
namespace {

using Words = std::vector<std::string>;

CommandLine sweep_line() {
  CommandLine line(
      "sweep [plan|run|collect|plot|submit|status] SWEEP.json [options]",
      "Simulates one run with many combinations of values, on all cores, and collects what they measured.\n"
      "plan lists the points; run simulates those that the result folder lacks, so it goes on where it\n"
      "was stopped; collect prints the results; plot draws them (DIR/NAME.svg, or with --term in the terminal).\n"
      "submit hands shards that lack points to a cluster's Slurm, a task a shard with --jobs CPUs (default: one), and\n"
      "a job that writes DIR/results.csv when all have ended; status tells how far a sweep is, whoever runs it.\n"
      "Without one of these words: run, then collect as CSV.\n"
      "Exit code 1 when a point failed; the others are kept.",
      "  tsunagi sweep plan payloads.json\n"
      "  tsunagi sweep payloads.json --jobs 8 > payloads.csv\n"
      "  tsunagi sweep plot payloads.json --term\n"
      "  tsunagi sweep run payloads.json --shard 3/16 --out /shared/payloads\n"
      "  tsunagi sweep collect payloads.json --out /shared/payloads --format sqlite\n"
      "  tsunagi sweep submit payloads.json --slurm --shards 20 -- --partition=short --time=1:00:00\n"
      "  tsunagi sweep status payloads.json\n");
  line.input(2);
  line.option("set", po::value<std::vector<std::string>>()->composing()->value_name("POINTER=VALUE"),
              "replace a value of the run that varies, e.g. --set '/scenario/iterations=10', as in run; repeatable");
  line.option("out", po::value<std::string>()->value_name("DIR"), "folder of the results (default: NAME.results)");
  line.option("format", po::value<std::string>()->value_name("NAME"),
              "plan: table, csv or jsonl; collect, submit: csv, jsonl or sqlite (DIR/results.sqlite);\n"
              "status: table or json");
  line.completes("format", {"table", "csv", "json", "jsonl", "sqlite"});
  line.flag("wide", "collect as csv: one line a row of each point, a column for each measure; else one a value");
  line.flag("term", "plot: draw in the terminal instead of writing files");
  add_column_options(line);
  add_configs_option(line);
  add_sweep_orders(line);
  add_submit_options(line);
  return line;
}

std::string format_of(const po::variables_map& values, const Words& choices) {
  return values.count("format") == 0 ? choices.front() : chosen(values, "format", choices);
}

int plan(const po::variables_map& values, const OpenedSweep& opened) {
  const std::string format = format_of(values, {"table", "csv", "jsonl"});
  const auto list = format == "table" ? sweep::list_as_table
                    : format == "csv" ? sweep::list_as_csv
                                      : sweep::list_as_jsonl;
  list(opened.points, write_stdout);
  return exit_ok;
}

/// Simulates what is missing; tells why points failed unless `quiet`.
int run_points(const po::variables_map& values, const OpenedSweep& opened, bool quiet) {
  sweep::Orders orders = sweep_orders(values);
  Failures failures;
  orders.failure = [&](const sweep::Point& point, const sweep::Result& result) { failures.add(point, result); };
  sweep::Store store = opened.store();
  store.clean(orders.shard);
  const sweep::Tally tally = run_with_progress(opened.points, store, orders);
  if (!quiet) failures.tell();
  if (tally.interrupted) write_stderr("interrupted; what had ended is kept, the same command goes on with the rest\n");
  write_note(sweep::summary_line(tally) + "\n");
  if (tally.interrupted) return exit_interrupted;
  return tally.failed > 0 ? exit_failed : exit_ok;
}

int run(const po::variables_map& values, const OpenedSweep& opened) { return run_points(values, opened, false); }

/// The format of collected results. Throws UsageError for --wide with another one than csv.
std::string collect_format(const po::variables_map& values) {
  const std::string format = format_of(values, {"csv", "jsonl", "sqlite"});
  if (values.count("wide") != 0 && format != "csv")
    throw UsageError(fmt::format("--wide is for csv, not for {}", format));
  return format;
}

/// What makes the format that the options choose.
std::unique_ptr<sweep::Collector> collector_of(const std::string& format, bool wide, const OpenedSweep& opened,
                                               const std::filesystem::path& sqlite) {
  const std::vector<report::AxisColumn>& axes = opened.points.axes;
  if (format == "jsonl") return sweep::jsonl_collector(axes, write_stdout);
  if (format == "sqlite") return sweep::sqlite_collector(axes, sqlite, experiment::model_version());
  return wide ? sweep::wide_csv_collector(axes, write_stdout) : sweep::csv_collector(axes, write_stdout);
}

int collect_as(const std::string& format, const po::variables_map& values, const OpenedSweep& opened) {
  const sweep::Store store = opened.existing_store();
  const std::filesystem::path sqlite = store.folder() / "results.sqlite";
  const auto collector = collector_of(format, values.count("wide") != 0, opened, sqlite);
  Complaints complaints;
  const sweep::Summary all =
      sweep::collect(opened.points, store, *collector, [&](const std::string& line) { complaints.tell(line); });
  complaints.end();
  tell_idle(all.idle);
  if (format == "sqlite") write_note(fmt::format("wrote {}\n", sqlite.string()));
  write_note(fmt::format("digest {} of {} ok, {} failed, {} missing\n", all.digest, all.ok, all.failed, all.missing));
  return all.failed + all.missing > 0 ? exit_failed : exit_ok;
}

int collect(const po::variables_map& values, const OpenedSweep& opened) {
  return collect_as(collect_format(values), values, opened);
}

int run_and_collect(const po::variables_map& values, const OpenedSweep& opened) {
  const std::string format = collect_format(values);
  const int ended = run_points(values, opened, true);  // collect tells what failed
  return ended == exit_interrupted ? ended : collect_as(format, values, opened);
}

/// Draws what was collected: DIR/NAME.svg, with the gnuplot script and its data beside it, or in the terminal.
int plot(const po::variables_map& values, const OpenedSweep& opened) {
  check_gnuplot();
  const sweep::Store store = opened.existing_store();
  sweep::TableCollector collector(opened.points.axes);
  Complaints complaints;
  const sweep::Summary all =
      sweep::collect(opened.points, store, collector, [&](const std::string& line) { complaints.tell(line); });
  complaints.end();
  tell_idle(all.idle);
  if (all.ok == 0) throw std::runtime_error(fmt::format("{} holds no results to draw yet", store.folder().string()));
  const sweep::PlotColumns& columns = opened.sweep.plot;
  const plot::Plot plot = plot_of(values, {opened.sweep.title,
                                           collector.rows(),
                                           opened.sweep.base,
                                           opened.plan.axes().size(),
                                           {columns.x, columns.y, columns.by, 0}});
  if (values.count("term") != 0) {
    draw_in_terminal(plot);
  } else {
    const std::filesystem::path stem = store.folder() / opened.sweep.name;
    plot::write(plot, stem.string());
    write_note(fmt::format("wrote {}.svg of {} point{}\n", stem.string(), all.ok, all.ok == 1 ? "" : "s"));
  }
  return all.failed + all.missing > 0 ? exit_failed : exit_ok;
}

const Words run_options{"jobs", "shard", "limit-time", "limit-memory", "limit-simulated-time", "retry-failed"};
const Words run_and_collect_options{"format",      "wide", "jobs", "limit-time", "limit-memory", "limit-simulated-time",
                                    "retry-failed"};

const Words submit_options{"slurm",        "shards",     "dry-run",      "format",
                           "jobs",         "limit-time", "limit-memory", "limit-simulated-time",
                           "retry-failed", "--"};

struct Action {
  std::string name;  ///< "": none
  int (*act)(const po::variables_map& values, const OpenedSweep& opened);
  Words options;  ///< beside those that all take
};

/// What may stand before the file. To add an action, add a line.
const std::vector<Action>& actions() {
  static const std::vector<Action> all{{"plan", plan, {"format"}},
                                       {"run", run, run_options},
                                       {"collect", collect, {"format", "wide"}},
                                       {"plot", plot, {"term", "x", "y", "by"}},
                                       {"submit", submit_sweep, submit_options},
                                       {"status", sweep_status, {"format"}},
                                       {"", run_and_collect, run_and_collect_options}};
  return all;
}

const Action& find_action(const std::string& name) {
  Words known;
  for (const Action& action : actions()) {
    if (action.name == name) return action;
    if (!action.name.empty()) known.push_back(action.name);
  }
  throw UsageError(config::detail::unknown("action", name, known));
}

bool takes(const Action& action, const std::string& option) {
  return std::find(action.options.begin(), action.options.end(), option) != action.options.end();
}

/// Refuses options that are for other actions.
void check_options(const Action& chosen, const po::variables_map& values) {
  const auto named = [](const Action& a) {
    return fmt::format("`tsunagi sweep{}{}`", a.name.empty() ? "" : " ", a.name);
  };
  for (const auto& given : values) {
    Words takers;
    for (const Action& action : actions())
      if (takes(action, given.first)) takers.push_back(named(action));
    if (!takers.empty() && !takes(chosen, given.first))
      throw UsageError(fmt::format("{} is for {}, not for {}", given.first == "--" ? "--" : "--" + given.first,
                                   fmt::join(takers, ", "), named(chosen)));
  }
}

int start(const po::variables_map& values) {
  const Words words = inputs(values);
  const bool lonely_action = words.size() == 1 && std::any_of(actions().begin(), actions().end(),
                                                              [&](const Action& a) { return words[0] == a.name; });
  if (words.empty() || lonely_action) throw UsageError("which sweep? usage: tsunagi sweep run SWEEP.json");
  const Action& action = find_action(words.size() == 2 ? words.front() : "");
  check_options(action, values);
  if (values.count("out") != 0 && is_stdout(values["out"].as<std::string>()))
    throw UsageError("--out names the folder of the results, which \"-\" is not");
  const OpenedSweep opened(values, words.back());
  keep_inputs(opened.outputs(), opened.sweep.files);
  keep_inputs(opened.outputs(), opened.plan.files());
  keep_inputs(opened.outputs(), figure_files(values));
  return action.act(values, opened);
}

}  // namespace

Command sweep_command() { return {"sweep", "simulate many variations of a run and collect them", sweep_line, start}; }

}  // namespace tsunagi::app
