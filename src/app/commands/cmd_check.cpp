// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "app/commands.hpp"
#include "app/commands/components.hpp"
#include "app/commands/figures_to_check.hpp"
#include "app/commands/runner_options.hpp"
#include "app/files/config_files.hpp"
#include "app/files/input_file.hpp"
#include "app/files/run_file.hpp"
#include "app/pages/check_page.hpp"
#include "app/pages/report_data.hpp"
#include "app/shell/exit_codes.hpp"
#include "app/shell/output.hpp"
#include "app/shell/output_format.hpp"
#include "app/shell/progress.hpp"
#include "cluster/catalogs.hpp"
#include "experiment/simulation.hpp"
#include "experiment/version.hpp"
#include "figures/check_text.hpp"
#include "figures/junit.hpp"
#include "figures/sensitivity_text.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {
namespace {

using figures::FigureEntry;
using figures::FigureStatus;
using figures::Verdict;

/// What is listed where `check` looks by itself.
template <class Name>
std::vector<std::string> listed(Name name) {
  std::vector<std::string> out;
  for (const FigureEntry& entry : figures::load_figures(figure_files({}))) out.push_back(name(entry));
  return out;
}

std::vector<std::string> ids() {
  return listed([](const FigureEntry& entry) { return entry.figure.id; });
}

std::vector<std::string> systems() {
  std::vector<std::string> out = listed([](const FigureEntry& entry) { return entry.system; });
  out.erase(std::unique(out.begin(), out.end()), out.end());
  out.push_back(fit::components_system);
  return out;
}

CommandLine check_line() {
  CommandLine line(
      "check [options]",
      "Simulates the published figures and sets the results beside the papers' values; and, as the system\n"
      "components, curves that were measured of parts alone, each by its mean error.\n"
      "A figure is fitted when a parameter was chosen for it, derived when it could not come out otherwise, else\n"
      "predicted: unseen, after a mechanism was added, or within a loose bound.\n"
      "Exit code 1 when a figure misses that configs/figures/missed.json does not list, or misses by another value\n"
      "than stands there, and, with --baseline, when one is not exactly what it was, or gone.",
      "  tsunagi check --system peach2\n"
      "  tsunagi check --id p2-theoretical-peak --format json\n"
      "  tsunagi check --id p2-dma-8kb-latency --sensitivity\n"
      "  tsunagi check --format json --out before.json    # and after a change:\n"
      "  tsunagi check --baseline before.json --junit check.xml\n");
  line.option("system", po::value<std::string>()->value_name("NAME"), "only the figures of this system");
  line.completes("system", systems);
  line.option("id", po::value<std::vector<std::string>>()->composing()->value_name("ID"),
              "only this figure; repeatable");
  line.completes("id", ids);
  line.option("format", po::value<std::string>()->default_value("table")->value_name("NAME"), "table, csv or json");
  line.completes("format", {"table", "csv", "json"});
  line.option("out", po::value<std::string>()->value_name("FILE"),
              "write there; - or none: to standard output. Its extension chooses the format: .txt, .csv, .json");
  line.option(
      "baseline", po::value<std::string>()->value_name("FILE"),
      "what `check --format json` wrote before (-: standard input): each value, and the digest of each run behind "
      "it, must be exactly that; says what moved, is new or is gone");
  line.option("junit", po::value<std::string>()->value_name("FILE"),
              "also write the verdicts there as JUnit XML: a test suite a system, a test case a figure");
  line.option(
      "html", po::value<std::string>()->value_name("FILE"),
      "also write the verdicts there as a page for a browser: each figure with the paper's words, why it has its "
      "role, and what is known of those that miss");
  line.flag(
      "sensitivity",
      "change each assumed or fitted parameter to the ends of its range and by 10 %, one at a time, and say how far "
      "the figures move");
  line.flag("quick", "leave out figures whose runs take minutes (\"takes\" in their file)");
  line.flag("require-all", "a figure without a run counts as a miss");
  add_configs_option(line);
  add_jobs_option(line);
  return line;
}

int run_sensitivity(const po::variables_map& values, const FiguresToCheck& figures, const std::string& format,
                    runner::Options options) {
  figures::Sensitivity all = [&] {
    const RunProgress progress(options, "check");
    return figures::sensitivity(figures.wanted, all_kinds(), experiment::simulation(), options);
  }();
  all.left_out = figures.left_out;
  if (all.interrupted) return exit_interrupted;
  bool good = true;
  for (const figures::FigureMoves& figure : all.figures) {
    good = good && figure.now;
    if (!figure.now) write_stderr(fmt::format("{}: {}\n", figure.entry.figure.id, figure.why));
  }
  emit(values, format == "json" ? figures::json(all) : format == "csv" ? figures::csv(all) : figures::text(all));
  return good ? exit_ok : exit_failed;
}

/// Whether two names are of one file, which may not be there yet.
bool is_same_place(const std::string& a, const std::string& b) {
  const auto place = [](const std::string& name) {
    std::error_code error;  // of a name that leads nowhere, which is told elsewhere
    return std::filesystem::weakly_canonical(std::filesystem::absolute(name, error), error);
  };
  return !is_stdout(a) && place(a) == place(b);
}

/// What does not go together, or cannot be written.
void check_usage(const po::variables_map& values) {
  if (values.count("sensitivity") != 0)
    for (const char* judges : {"require-all", "baseline", "junit", "html"})
      if (values.count(judges) != 0)
        throw UsageError(fmt::format("--sensitivity judges no figure; leave out --{}", judges));
  check_out(values);
  if (values.count("html") != 0) check_pages();
  std::vector<const char*> names{"out"};
  for (const char* beside : {"junit", "html"}) {
    if (values.count(beside) == 0) continue;
    const auto& file = values[beside].as<std::string>();
    if (is_stdout(file)) throw UsageError(fmt::format("--{} needs the name of a file", beside));
    for (const char* name : names)
      if (values.count(name) != 0 && is_same_place(values[name].as<std::string>(), file))
        throw UsageError(fmt::format("--{} and --{} name the same file", name, beside));
    names.push_back(beside);
    try {
      check_writable(file);
    } catch (const std::runtime_error& e) {
      throw UsageError(e.what());
    }
  }
}

/// Nothing that is read here is written over.
void keep_what_is_read(const po::variables_map& values, std::vector<std::filesystem::path> files) {
  if (values.count("baseline") != 0) files.emplace_back(values["baseline"].as<std::string>());
  keep_inputs(values, files);
  for (const char* beside : {"junit", "html"})
    if (values.count(beside) != 0) keep_inputs({values[beside].as<std::string>()}, files);
}

/// What moved since the baseline. Gone is what no file of figures has any more, of the systems and ids that are wanted.
figures::Moves moves_since(const figures::Baseline& baseline, const std::vector<Verdict>& verdicts,
                           const std::vector<FigureEntry>& all, const po::variables_map& values) {
  return figures::moves_since(baseline, verdicts, [&](const figures::Pinned& pinned) {
    if (values.count("id") != 0) return false;  // they are all there
    if (values.count("system") != 0 && values["system"].as<std::string>() != pinned.system) return false;
    return std::none_of(all.begin(), all.end(), [&](const FigureEntry& e) { return e.figure.id == pinned.id; });
  });
}

/// Whether all is as it has to be; says on standard error what is odd about a figure.
bool is_good(const figures::CheckReport& report, bool require_all) {
  bool good = !report.moves || report.moves->all_hold();
  for (const Verdict& v : report.verdicts) {
    if (v.status == FigureStatus::miss) good = false;
    if (v.status == FigureStatus::no_run && require_all) good = false;
    if (!v.why.empty()) write_stderr(fmt::format("{}: {}\n", v.entry.figure.id, v.why));
  }
  return good;
}

figures::CheckResult simulated(const std::vector<FigureEntry>& wanted, const Components& components,
                               const std::vector<figures::KnownMiss>& missed, runner::Options options) {
  const RunProgress progress(options);
  std::vector<FigureEntry> published, measured;
  std::partition_copy(wanted.begin(), wanted.end(), std::back_inserter(measured), std::back_inserter(published),
                      is_component);
  figures::CheckResult out = figures::check_figures(published, missed, all_kinds(), experiment::simulation(), options);
  if (out.interrupted) return out;
  const auto verdicts = components.check(measured, missed, options);
  out.interrupted = !verdicts;
  if (verdicts) out.verdicts.insert(out.verdicts.end(), verdicts->begin(), verdicts->end());
  return out;
}

/// `moved` stands below the table.
void print(const po::variables_map& values, const std::string& format, const figures::CheckReport& report,
           const std::string& moved) {
  emit(values, format == "json"  ? figures::json(report)
               : format == "csv" ? figures::csv(report)
                                 : figures::text(report, stdout_has_color() && values.count("out") == 0) + moved);
}

/// Writes the verdicts down for who reads JUnit's, and as a page, if that was asked for.
void write_beside(const po::variables_map& values, const figures::CheckReport& report,
                  const std::vector<figures::KnownMiss>& missed, const std::filesystem::path& folder) {
  if (values.count("junit") != 0)
    write_file(values["junit"].as<std::string>(), figures::junit(report, missed, values.count("require-all") != 0));
  if (values.count("html") != 0)
    write_file(values["html"].as<std::string>(),
               check_page(report, missed, {intervals_beside(folder), page::unmodelled_beside(folder)},
                          check_command_line(values)));
}

/// Prints what was judged. Nobody can say of the others whether they moved.
int tell_interrupted(const po::variables_map& values, const std::string& format, const figures::CheckReport& report) {
  is_good(report, false);
  print(values, format, report, "");
  const auto judged = std::count_if(report.verdicts.begin(), report.verdicts.end(),
                                    [](const Verdict& v) { return v.status != FigureStatus::no_run; });
  write_stderr(
      fmt::format("tsunagi check: interrupted: {} of {} figures were judged\n", judged, report.verdicts.size()));
  return exit_interrupted;
}

/// The baseline that --baseline names. Throws config::ConfigError if it pins none of these figures.
std::optional<figures::Baseline> baseline_of(const po::variables_map& values, const std::vector<FigureEntry>& wanted) {
  if (values.count("baseline") == 0) return std::nullopt;
  const config::Document document = load_input(values["baseline"].as<std::string>());
  figures::Baseline out = figures::baseline_in(document);
  if (figures::pins_any(out, wanted)) return out;
  const std::string has =
      out.figures.empty() ? "none at all" : fmt::format("{}, such as {}", out.figures.size(), out.figures.front().id);
  throw config::ConfigError({{document.root.find("figures")->place, "/figures",
                              fmt::format("has none of the {} figures that are checked, but {}: name the baseline of "
                                          "these, or choose others with --system or --id",
                                          wanted.size(), has)}});
}

int check_folder(const po::variables_map& values, const std::string& format, const runner::Options& options,
                 const std::filesystem::path& folder) {
  const auto files = json_files(folder / "figures");
  std::vector<FigureEntry> all = figures::load_figures(files);
  if (all.empty()) throw UsageError(fmt::format("there are no figures in {}", folder.string()));
  const bool sensitivity = values.count("sensitivity") != 0;
  std::vector<figures::KnownMiss> missed = figures::load_missed(files, all);
  const Components components(folder / "fits");
  keep_what_is_read(values, components.files());
  if (!sensitivity) {  // a curve's mean error moves with the parameters that it was made smallest with
    const std::vector<FigureEntry> measured = components.figures();
    for (const figures::KnownMiss& m : figures::load_missed(json_files(folder / "fits"), measured)) missed.push_back(m);
    all.insert(all.end(), measured.begin(), measured.end());
  }
  const FiguresToCheck chosen = figures_to_check(all, values);
  if (sensitivity) return run_sensitivity(values, chosen, format, options);
  const std::vector<FigureEntry>& wanted = chosen.wanted;
  if (!chosen.left_out.empty())
    write_stderr(fmt::format("left out, their runs take minutes: {} of {} figures\n", chosen.left_out.size(),
                             chosen.left_out.size() + wanted.size()));
  const std::optional<figures::Baseline> baseline = baseline_of(values, wanted);
  const figures::CheckResult result = simulated(wanted, components, missed, options);
  figures::CheckReport report{result.verdicts, experiment::model_version(), std::nullopt, result.interrupted};
  if (result.interrupted) {
    write_beside(values, report, missed, folder);  // or an older file would seem to be of this check
    return tell_interrupted(values, format, report);
  }
  if (baseline) report.moves = moves_since(*baseline, result.verdicts, all, values);
  const bool good = is_good(report, values.count("require-all") != 0);
  const std::string moved = baseline ? figures::text(*baseline, *report.moves, result.verdicts) : "";
  write_beside(values, report, missed, folder);
  if (format != "table") write_stderr(moved);
  print(values, format, report, moved);
  return good ? exit_ok : exit_failed;
}

/// Says in the JUnit file, where there is to be one, why there was no check: an older file would seem to be of this
/// one.
void tell_refusal(const po::variables_map& values, const std::string& why) {
  if (values.count("junit") != 0)
    write_file(values["junit"].as<std::string>(), figures::junit_of_refusal(why, experiment::model_version()));
}

int run_check(const po::variables_map& values) {
  const std::string format = output_format(values, {"table", "csv", "json"});
  check_usage(values);
  const runner::Options options = runner_options(values);
  const Configs configs(values);
  keep_what_is_read(values, json_files(configs.folder() / "figures"));
  try {
    return check_folder(values, format, options, configs.folder());
  } catch (const UsageError& e) {
    tell_refusal(values, e.what());
    throw;
  } catch (const config::ConfigError& e) {
    tell_refusal(values, e.what());
    throw;
  }
}

}  // namespace

Command check_command() { return {"check", "set simulated values beside published figures", check_line, run_check}; }

}  // namespace tsunagi::app
