// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/commands.hpp"
#include "app/commands/diff_sides.hpp"
#include "app/commands/one_message.hpp"
#include "app/commands/runner_options.hpp"
#include "app/files/input_file.hpp"
#include "app/pages/report_data.hpp"
#include "app/shell/exit_codes.hpp"
#include "app/shell/output.hpp"
#include "app/shell/progress.hpp"
#include "experiment/explanation.hpp"
#include "experiment/protocols.hpp"
#include "experiment/simulation.hpp"
#include "experiment/version.hpp"
#include "page/data.hpp"
#include "report/catalog.hpp"
#include "report/formats/json.hpp"
#include "runner/title.hpp"
#include "sweep/results/kept.hpp"
#include "whatif/text.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_explained = 4;  // methods
constexpr std::size_t most_stages = 2000;  // of one path
constexpr int wires_in_account = 6;

CommandLine report_line() {
  CommandLine line(
      "report RUN.json|RESULT.json|FOLDER --out FILE.html [options]",
      "Writes one page that opens in any browser without a network: the machine with its wires as busy as\n"
      "they were, the rows as a table and as plots, where a message's time went, what was counted, which\n"
      "protocol carries which message, and where the parameters are from. A run is simulated for it; of what\n"
      "`run --format json` wrote, and of a folder of a sweep's results, the page has what that holds, and nothing\n"
      "is simulated.",
      "  tsunagi report configs/runs/tca_ping_pong.json --out ping_pong.html\n"
      "  tsunagi report tca_dma_ping_pong --size \"1 MiB\" --why-not-faster --out dma.html\n"
      "  tsunagi run tca_ping_pong --counters --format json | tsunagi report - --out ping_pong.html\n");
  add_run_input(line);
  line.option("out", po::value<std::string>()->value_name("FILE"), "write there; - or none: to standard output");
  add_message_options(line);
  line.flag("why-not-faster", "run again with one limit gone at a time, and show what each costs");
  add_jobs_option(line);
  return line;
}

/// What makes the page again, as one types it.
std::string command_of(const po::variables_map& values) {
  std::string out = "tsunagi report " + shell_word(inputs(values).front());
  for (const char* name : {"set", "size", "method", "configs", "out"}) {
    if (values.count(name) == 0) continue;
    const boost::any& value = values[name].value();
    const auto* many = boost::any_cast<std::vector<std::string>>(&value);
    for (const std::string& one : many != nullptr ? *many : std::vector{values[name].as<std::string>()})
      out += fmt::format(" --{} {}", name, shell_word(one));
  }
  return out + (values.count("why-not-faster") != 0 ? " --why-not-faster" : "");
}

runner::Outcome run_once(const RunConfig& run, const runner::Simulate& simulate) {
  runner::Options options;
  options.patience_s = patience_s;
  const RunProgress progress(options);
  return runner::run_one(run, simulate, options);
}

/// Explanations of a message by each method, the first ones; of a run without methods, one. A message that cannot be
/// explained has "problem" instead. Nothing: interrupted.
std::optional<Json> explanations(const po::variables_map& values, const Json& resolved) {
  const Json methods = resolved.at("scenario").value("methods", Json::array());
  std::vector<std::optional<std::string>> wanted;
  if (values.count("method") == 0 && methods.is_array())
    for (std::size_t i = 0; i < std::min(methods.size(), most_explained); ++i)
      wanted.emplace_back(methods[i].get<std::string>());
  if (wanted.empty()) wanted.emplace_back();
  Json out = Json::array();
  for (const auto& method : wanted) {
    const RunFile one = narrowed(values, "report", method);
    const runner::Outcome outcome = run_once(one.config, experiment::explaining(wires_in_account, true));
    if (outcome.status == runner::Status::interrupted) return std::nullopt;
    Json entry = Json::object();
    if (outcome.status == runner::Status::ok)
      entry = page::shortened(Json::parse(outcome.report), most_stages);
    else
      entry["problem"] = fmt::format("{}", fmt::join(outcome.messages, "; "));
    out.push_back(std::move(entry));
  }
  return out;
}

/// What only a run that stands before us can be asked for. Returns another exit code than success if that ended badly.
int add_questions(const po::variables_map& values, const RunFile& file, const runner::Options& many, Json& data) {
  const Json resolved = data["result"]["run"];  // a copy: what is added to an ordered object moves its parts
  const auto explained = explanations(values, resolved);
  if (!explained) return exit_interrupted;
  data["explanations"] = *explained;
  if (values.count("why-not-faster") != 0) {
    const RunFile one = narrowed(values, "report");
    const whatif::Comparison found = compared(one.config, many, "report");
    if (found.interrupted) return exit_interrupted;
    if (found.base.status != runner::Status::ok) return tell_failure("report", one.document, found.base);
    data["why_not_faster"] = whatif::to_json(found);
    data["why_not_faster"]["sentence"] = whatif::sentence(found);
  }
  const runner::Outcome protocols = experiment::protocols(file.config);
  if (protocols.status == runner::Status::interrupted) return exit_interrupted;
  if (protocols.status == runner::Status::ok && !protocols.rows.rows.empty())
    data["protocols"] = report::rows_to_json(protocols.rows);
  data["parameters"] = page::parameter_data(file.document, resolved);
  return exit_ok;
}

int report_run(const po::variables_map& values) {
  const runner::Options many = runner_options(values);
  const RunFile file = read_run(values, "report");
  auto config = file.config;
  config.title = runner::title_of(file.document);
  const Json resolved = config::resolved(config);
  tell(runner::title_faults(file.document));
  narrowed(values, "report");  // before anything is simulated: --size and --method may be wrong
  const runner::Outcome outcome = run_once(config, experiment::simulation(true));
  if (outcome.status != runner::Status::ok) return tell_failure("report", file.document, outcome);
  const report::Result result{experiment::model_version(),
                              config.title,
                              [&] { return resolved; },
                              outcome.rows,
                              outcome.cost,
                              &outcome.counters};
  Json data{{"page", "report"}, {"command", command_of(values)}};
  data["result"] = Json::parse(report::find_writer("json")->write(result));
  if (const int code = add_questions(values, file, many, data); code != exit_ok) return code;
  emit(values, report_page(std::move(data), config.title));
  return exit_ok;
}

/// Throws UsageError for an option of what would have to be simulated; `is`: "a result".
void refuse_options_of_runs(const po::variables_map& values, const char* is) {
  for (const char* simulated : {"set", "size", "method", "why-not-faster"})
    if (values.count(simulated) != 0)
      throw UsageError(
          fmt::format("--{} is for a run, which is simulated; {} is {}", simulated, inputs(values).front(), is));
}

int report_result(const po::variables_map& values, Json result) {
  refuse_options_of_runs(values, "a result");
  Json data{{"page", "report"}, {"command", command_of(values)}};
  if (result.contains("explanations")) {
    data["explanations"] = Json::array();
    for (const Json& e : result["explanations"])
      if (e.is_object() && data["explanations"].size() < most_explained)
        data["explanations"].push_back(page::shortened(e, most_stages));
    result.erase("explanations");
  }
  data["result"] = std::move(result);
  emit(values, report_page(std::move(data), ""));
  return exit_ok;
}

/// A folder of a sweep's results has rows alone, the values of its axes in front.
int report_sweep(const po::variables_map& values, const std::string& folder) {
  refuse_options_of_runs(values, "a sweep's results");
  const DiffSide side = open_side(folder, {});
  if (side.side.table.rows.empty()) throw UsageError(folder + " holds no results yet");
  for (const std::string& odd : side.odd) write_stderr(odd + "\n");
  Json rows = Json::array();
  for (const compare::Row& row : side.side.table.rows) {
    Json& one = rows.emplace_back(Json::object());
    for (const compare::Cell& cell : row) one[cell.column] = compare::to_json(cell.value);
  }
  Json data{{"page", "report"}, {"command", command_of(values)}, {"axes", side.side.table.axes}};
  data["result"] = {{"tsunagi", side.side.version}, {"rows", std::move(rows)}};
  if (!side.odd.empty()) data["missing"] = side.odd;
  emit(values, report_page(std::move(data), "Sweep " + sweep::read_kept(folder).sweep));
  return exit_ok;
}

int run_report(const po::variables_map& values) {
  check_pages();
  check_out(values);
  if (inputs(values).empty()) throw UsageError("which run? usage: tsunagi report RUN.json --out FILE.html");
  if (std::error_code none; std::filesystem::is_directory(inputs(values).front(), none))
    return report_sweep(values, inputs(values).front());
  if (auto result = result_in(inputs(values).front())) {
    keep_inputs(values, std::vector<std::filesystem::path>{inputs(values).front()});
    return report_result(values, std::move(*result));
  }
  return report_run(values);
}

}  // namespace

Command report_command() { return {"report", "write a page about a run, for a browser", report_line, run_report}; }

}  // namespace tsunagi::app
