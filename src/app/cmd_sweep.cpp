// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/catalogs.hpp"
#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/output.hpp"
#include "app/run_file.hpp"
#include "app/simulation.hpp"
#include "app/sweep_orders.hpp"
#include "app/version.hpp"
#include "config/suggest.hpp"
#include "plot/plot.hpp"
#include "plot/table.hpp"
#include "sweep/collect.hpp"
#include "sweep/listing.hpp"
#include "sweep/progress.hpp"
#include "sweep/store.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {
namespace {

using Words = std::vector<std::string>;

CommandLine command_line() {
  CommandLine line(
      "sweep [plan|run|collect|plot] SWEEP.json [options]",
      "Simulates one run with many combinations of values, on all cores, and collects what they measured.\n"
      "plan lists the points; run simulates those that the result folder lacks, so it goes on where it\n"
      "was stopped; collect prints the results; plot draws them (DIR/NAME.svg). Without one of these words: run, then "
      "collect as CSV.\n"
      "Exit code 1 when a point failed; the others are kept.",
      "  tsunagi sweep plan payloads.json\n"
      "  tsunagi sweep payloads.json --jobs 8 > payloads.csv\n"
      "  tsunagi sweep run payloads.json --shard 3/16 --out /shared/payloads   # one of 16 computers\n"
      "  tsunagi sweep collect payloads.json --out /shared/payloads --format sqlite\n");
  line.input(2);
  line.option("set", po::value<std::vector<std::string>>()->composing()->value_name("POINTER=VALUE"),
              "replace one value of the sweep file, e.g. --set '/axes/0/values=[1, 2]'; repeatable");
  line.option("out", po::value<std::string>()->value_name("DIR"), "folder of the results (default: NAME.results)");
  line.option("format", po::value<std::string>()->value_name("NAME"),
              "plan: table, csv or jsonl; collect: csv, jsonl or sqlite (DIR/results.sqlite)");
  add_sweep_orders(line);
  return line;
}

/// A sweep as the command line names it.
struct Opened {
  Opened(const po::variables_map& values, const std::string& file)
      : file_name(file),
        sweep(sweep::load_sweep(file, overrides(values))),
        plan(sweep, all_kinds(), version()),
        points(sweep::points_of(plan, all_kinds())),
        folder(values.count("out") != 0 ? values["out"].as<std::string>() : sweep.name + ".results") {}
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  sweep::Manifest manifest() const { return {version(), sweep.name, plan.hash(), plan.axes()}; }

  std::string file_name;
  sweep::Sweep sweep;
  sweep::Plan plan;
  sweep::Points points;
  std::filesystem::path folder;
};

/// The folder of the results, which `open` opens. Throws UsageError if it is not the sweep's.
template <class Open>
sweep::Store store_of(const Opened& opened, Open open) {
  try {
    return open(opened.folder, opened.manifest());
  } catch (const sweep::ForeignFolder& e) {
    throw UsageError(e.what());
  }
}

std::string format_of(const po::variables_map& values, const Words& choices) {
  return values.count("format") == 0 ? choices.front() : chosen(values, "format", choices);
}

int plan(const po::variables_map& values, const Opened& opened) {
  const std::string format = format_of(values, {"table", "csv", "jsonl"});
  const auto list = format == "table" ? sweep::list_as_table
                    : format == "csv" ? sweep::list_as_csv
                                      : sweep::list_as_jsonl;
  list(opened.points, write_stdout);
  return exit_ok;
}

int run(const po::variables_map& values, const Opened& opened) {
  sweep::Orders orders = sweep_orders(values);
  sweep::Store store = store_of(opened, sweep::Store::open);
  store.clean(orders.shard);
  const sweep::Tally tally = run_with_progress(opened.points, store, orders);
  if (tally.interrupted)
    write_stderr(fmt::format("interrupted; what had ended is kept. To go on: tsunagi sweep run {} --out {}\n",
                             opened.file_name, opened.folder.string()));
  write_stderr(sweep::summary_line(tally) + "\n");
  if (tally.interrupted) return exit_interrupted;
  return tally.failed > 0 ? exit_failed : exit_ok;
}

int collect_as(const std::string& format, const Opened& opened) {
  const sweep::Store store = store_of(opened, sweep::Store::existing);
  const std::filesystem::path sqlite = store.folder() / "results.sqlite";
  const auto collector = format == "csv"     ? sweep::csv_collector(opened.points.axes, write_stdout)
                         : format == "jsonl" ? sweep::jsonl_collector(opened.points.axes, write_stdout)
                                             : sweep::sqlite_collector(opened.points.axes, sqlite, version());
  Complaints complaints;
  const sweep::Summary all =
      sweep::collect(opened.points, store, *collector, [&](const std::string& line) { complaints.tell(line); });
  complaints.end();
  if (format == "sqlite") write_stderr(fmt::format("wrote {}\n", sqlite.string()));
  write_stderr(fmt::format("digest {} of {} ok, {} failed, {} missing\n", all.digest, all.ok, all.failed, all.missing));
  return all.failed + all.missing > 0 ? exit_failed : exit_ok;
}

int collect(const po::variables_map& values, const Opened& opened) {
  return collect_as(format_of(values, {"csv", "jsonl", "sqlite"}), opened);
}

int run_and_collect(const po::variables_map& values, const Opened& opened) {
  if (values.count("shard") != 0)
    throw UsageError("--shard is for `tsunagi sweep run`; collect when all shards have ended");
  const std::string format = format_of(values, {"csv", "jsonl", "sqlite"});
  const int ended = run(values, opened);
  return ended == exit_interrupted ? ended : collect_as(format, opened);
}

/// Draws what was collected: DIR/NAME.svg, with the gnuplot script and its data beside it.
int plot(const po::variables_map&, const Opened& opened) {
  plot::check_gnuplot();
  const sweep::Store store = store_of(opened, sweep::Store::existing);
  sweep::TableCollector collector;
  Complaints complaints;
  const sweep::Summary all =
      sweep::collect(opened.points, store, collector, [&](const std::string& line) { complaints.tell(line); });
  complaints.end();
  const plot::Table table = plot::table_of(collector.rows());
  const std::filesystem::path stem = store.folder() / opened.sweep.name;
  plot::write(plot::plot_of(opened.sweep.title, table, plot::choose(table)), stem.string());
  write_stderr(fmt::format("wrote {}.svg of {} points\n", stem.string(), all.ok));
  return all.failed + all.missing > 0 ? exit_failed : exit_ok;
}

struct Action {
  const char* name;
  int (*act)(const po::variables_map& values, const Opened& opened);
};

/// What may stand before the file. To add an action, add a line.
constexpr Action actions[] = {{"plan", plan}, {"run", run}, {"collect", collect}, {"plot", plot}};

const Action& find_action(const std::string& name) {
  Words known;
  for (const Action& action : actions) {
    if (action.name == name) return action;
    known.emplace_back(action.name);
  }
  throw UsageError(config::detail::unknown("action", name, known));
}

int start(const po::variables_map& values) {
  const Words words = inputs(values);
  const bool lonely_action = words.size() == 1 && std::any_of(std::begin(actions), std::end(actions),
                                                              [&](const Action& a) { return words[0] == a.name; });
  if (words.empty() || lonely_action) throw UsageError("which sweep? usage: tsunagi sweep run SWEEP.json");
  const auto act = words.size() == 2 ? find_action(words.front()).act : run_and_collect;
  return act(values, Opened(values, words.back()));
}

}  // namespace

Command sweep_command() { return {"sweep", "simulate many variations of a run and collect them", command_line, start}; }

}  // namespace tsunagi::app
