// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "cluster/catalogs.hpp"
#include "app/commands.hpp"
#include "app/config_files.hpp"
#include "app/exit_codes.hpp"
#include "app/output.hpp"
#include "app/simulation.hpp"
#include "config/suggest.hpp"
#include "figures/check_text.hpp"
#include "figures/sensitivity_text.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {
namespace {

using figures::FigureEntry;
using figures::FigureStatus;
using figures::Verdict;

CommandLine check_line() {
  CommandLine line(
      "check [options]",
      "Simulates the published figures and sets the results beside the papers' values.\n"
      "A figure is fitted when a parameter was chosen for it, derived when it could not come out otherwise, else\n"
      "predicted: unseen, after a mechanism was added, or within a loose bound.\n"
      "Exit code 1 when a figure misses that configs/figures/missed.json does not list.",
      "  tsunagi check --system peach2\n"
      "  tsunagi check --id p2-theoretical-peak --format json\n"
      "  tsunagi check --id p2-dma-8kb-latency --sensitivity\n");
  line.option("system", po::value<std::string>()->value_name("NAME"), "only the figures of this system");
  line.option("id", po::value<std::vector<std::string>>()->composing()->value_name("ID"),
              "only this figure; repeatable");
  line.option("format", po::value<std::string>()->default_value("table")->value_name("NAME"), "table, csv or json");
  line.flag(
      "sensitivity",
      "change each assumed or fitted parameter to the ends of its range and by 10 %, one at a time, and say how far "
      "the figures move");
  line.flag("require-all", "a figure without a run counts as a miss");
  add_configs_option(line);
  line.option("jobs,j", po::value<int>()->value_name("N"), "simulations at a time (default: one a core)");
  return line;
}

std::vector<FigureEntry> selected(std::vector<FigureEntry> entries, const po::variables_map& values) {
  std::vector<std::string> systems;
  std::vector<std::string> ids;
  for (const FigureEntry& entry : entries) {
    if (std::find(systems.begin(), systems.end(), entry.system) == systems.end()) systems.push_back(entry.system);
    ids.push_back(entry.figure.id);
  }
  const auto keep = [&entries](const auto& wanted) {
    entries.erase(std::remove_if(entries.begin(), entries.end(), [&](const FigureEntry& e) { return !wanted(e); }),
                  entries.end());
  };
  if (values.count("system") != 0) {
    const std::string system = chosen(values, "system", systems);
    keep([&](const FigureEntry& e) { return e.system == system; });
  }
  if (values.count("id") != 0) {
    const auto& wanted = values["id"].as<std::vector<std::string>>();
    for (const std::string& id : wanted)
      if (std::find(ids.begin(), ids.end(), id) == ids.end())
        throw UsageError(fmt::format("unknown figure \"{}\"{}; `tsunagi list figures` prints all", id,
                                     config::detail::did_you_mean(id, ids)));
    keep([&](const FigureEntry& e) { return std::find(wanted.begin(), wanted.end(), e.figure.id) != wanted.end(); });
  }
  return entries;
}

runner::Options runner_options(const po::variables_map& values) {
  runner::Options options;
  options.jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  if (values.count("jobs") != 0) options.jobs = values["jobs"].as<int>();
  if (options.jobs < 1) throw UsageError("--jobs needs at least 1");
  if (stderr_is_terminal())
    options.progress = [](std::size_t done, std::size_t total) {
      write_progress(fmt::format("\r{}/{} runs{}", done, total, done == total ? "\r\x1b[K" : ""));
    };
  return options;
}

int run_sensitivity(const std::vector<FigureEntry>& wanted, const std::string& format, const runner::Options& options) {
  if (std::none_of(wanted.begin(), wanted.end(), [](const FigureEntry& e) { return has_run(e.figure); }))
    throw UsageError("--sensitivity: none of these figures has a run");
  const figures::Sensitivity all = figures::sensitivity(wanted, all_kinds(), simulation(), options);
  if (all.interrupted) return exit_interrupted;
  bool good = true;
  for (const figures::FigureMoves& figure : all.figures) {
    good = good && figure.now;
    if (!figure.now) write_stderr(fmt::format("{}: {}\n", figure.entry.figure.id, figure.why));
  }
  write_stdout(format == "json" ? figures::json(all) : format == "csv" ? figures::csv(all) : figures::text(all));
  return good ? exit_ok : exit_failed;
}

int run_check(const po::variables_map& values) {
  const std::string format = chosen(values, "format", {"table", "csv", "json"});
  if (values.count("sensitivity") != 0 && values.count("require-all") != 0)
    throw UsageError("--sensitivity judges no figure; leave out --require-all");
  const runner::Options options = runner_options(values);
  const Configs configs(values);
  const auto files = json_files(configs.folder() / "figures");
  const std::vector<FigureEntry> all = figures::load_figures(files);
  if (all.empty()) throw UsageError(fmt::format("there are no figures in {}", configs.folder().string()));
  const std::vector<figures::KnownMiss> missed = figures::load_missed(files, all);
  const std::vector<FigureEntry> wanted = selected(all, values);
  if (values.count("sensitivity") != 0) return run_sensitivity(wanted, format, options);
  const figures::CheckResult result = figures::check_figures(wanted, missed, all_kinds(), simulation(), options);
  if (result.interrupted) return exit_interrupted;

  bool good = true;
  for (const Verdict& v : result.verdicts) {
    if (v.status == FigureStatus::miss) good = false;
    if (v.status == FigureStatus::no_run && values.count("require-all") != 0) good = false;
    if (!v.why.empty()) write_stderr(fmt::format("{}: {}\n", v.entry.figure.id, v.why));
  }
  write_stdout(format == "json"  ? figures::json(result.verdicts)
               : format == "csv" ? figures::csv(result.verdicts)
                                 : figures::text(result.verdicts, stdout_has_color()));
  return good ? exit_ok : exit_failed;
}

}  // namespace

Command check_command() { return {"check", "set simulated values beside published figures", check_line, run_check}; }

}  // namespace tsunagi::app
