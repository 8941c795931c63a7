// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <thread>

#include "app/commands.hpp"
#include "app/commands/runner_options.hpp"
#include "app/files/run_file.hpp"
#include "app/shell/exit_codes.hpp"
#include "app/shell/output.hpp"
#include "app/shell/output_format.hpp"
#include "app/shell/progress.hpp"
#include "cluster/catalogs.hpp"
#include "experiment/explanation.hpp"
#include "experiment/simulation.hpp"
#include "units/parse.hpp"
#include "whatif/text.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {
namespace {

using Json = nlohmann::ordered_json;

CommandLine explain_line() {
  CommandLine line(
      "explain RUN.json [options]",
      "Simulates one run and explains its last message: where its time went, stage by stage, what the ranks\n"
      "did meanwhile, and what the busiest wires carried; of collective calls and halo exchanges the last\n"
      "one's critical path through the ranks. All sums are exact to the femtosecond.",
      "  tsunagi explain configs/runs/tca_pio_ping_pong.json\n"
      "  tsunagi explain configs/runs/tca_dma_ping_pong.json --size \"1 MiB\"\n"
      "  tsunagi explain configs/runs/tca_dma_ping_pong.json --size \"8 B\" --why-not-faster\n");
  add_run_input(line);
  line.option("size", po::value<std::string>()->value_name("SIZE"),
              "explain a message of that size (default: the scenario's first)");
  line.option("method", po::value<std::string>()->value_name("NAME"),
              "explain a message that is moved that way (default: the scenario's first)");
  line.option("links", po::value<int>()->default_value(4)->value_name("N"), "wires in the bandwidth account");
  line.flag("why-not-faster", "run again with one limit gone at a time, and say which one it is");
  add_jobs_option(line);
  line.option("format", po::value<std::string>()->default_value("table")->value_name("NAME"), "table or json");
  line.completes("format", {"table", "json"});
  line.option("out", po::value<std::string>()->value_name("FILE"),
              "write there; - or none: to standard output. Its extension chooses the format: .txt, .json");
  return line;
}

std::optional<Bytes> size_of(const po::variables_map& values) {
  if (values.count("size") == 0) return std::nullopt;
  try {
    return parse_bytes(values["size"].as<std::string>());
  } catch (const std::invalid_argument& e) {
    throw UsageError(fmt::format("--size: {}", e.what()));
  }
}

/// The run with one size, one method and one of everything else that its scenario has a list of, row by row.
RunFile narrowed(const po::variables_map& values) {
  const std::optional<Bytes> size = size_of(values);
  RunFile whole = read_run(values, "explain");
  const Json scenario = config::resolved(whole.config).at("scenario");
  std::vector<config::Override> one;
  if (scenario.contains("sizes"))
    one.push_back({"/scenario/sizes",
                   Json::array({size ? Json(values["size"].as<std::string>()) : scenario.at("sizes").front()}).dump()});
  else if (size && scenario.contains("size"))
    one.push_back({"/scenario/size", values["size"].as<std::string>()});
  else if (size)
    throw UsageError("--size: this scenario has no sizes");
  const bool has_methods = scenario.contains("methods");
  if (values.count("method") != 0) {
    if (!has_methods) throw UsageError("--method: this scenario has no methods");
    one.push_back(
        {"/scenario/methods",
         Json::array({values["method"].as<std::string>()}).dump(-1, ' ', false, Json::error_handler_t::replace)});
  } else if (has_methods && !scenario.at("methods").empty()) {
    one.push_back({"/scenario/methods", Json::array({scenario.at("methods").front()}).dump()});
  }
  for (const char* list : {"counts", "algorithms", "scales"})
    if (scenario.contains(list) && !scenario.at(list).empty())
      one.push_back({"/scenario/" + std::string(list), Json::array({scenario.at(list).front()}).dump()});
  return one.empty() ? whole : read_run(values, "explain", one);
}

runner::Options options(const po::variables_map& values) {
  runner::Options out;
  const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  out.jobs = values.count("jobs") != 0 ? values["jobs"].as<int>() : cores;
  if (out.jobs < 1) throw UsageError("--jobs needs a number from 1 on");
  return out;
}

/// Throws UsageError when the run has nothing to compare.
whatif::Comparison compared(const RunConfig& run, runner::Options options) {
  const RunProgress progress(options, "explain");
  try {
    return whatif::measure(run, whatif::limits(run), all_kinds(), experiment::simulation(), {}, options);
  } catch (const std::invalid_argument& e) {
    throw UsageError(fmt::format("--why-not-faster: {}", e.what()));
  }
}

int why_not_faster(const po::variables_map& values, const RunFile& file, const runner::Options& options, bool json) {
  const whatif::Comparison found = compared(file.config, options);
  if (found.interrupted) return exit_interrupted;
  if (found.base.status != runner::Status::ok) return tell_failure("explain", file.document, found.base);
  emit(values, json ? whatif::to_json(found).dump(2) + "\n" : whatif::text(found));
  return exit_ok;
}

runner::Outcome explained(const RunConfig& run, int links, bool json) {
  runner::Options one;
  const RunProgress progress(one);
  return runner::run_one(run, experiment::explaining(links, json), one);
}

int run_explain(const po::variables_map& values) {
  const bool json = output_format(values, {"table", "json"}) == "json";
  const int links = values["links"].as<int>();
  if (links < 0) throw UsageError("--links must not be negative");
  const runner::Options many = options(values);
  check_out(values);
  const RunFile file = narrowed(values);
  if (values.count("why-not-faster") != 0) return why_not_faster(values, file, many, json);
  const runner::Outcome outcome = explained(file.config, links, json);
  if (outcome.status != runner::Status::ok) return tell_failure("explain", file.document, outcome);
  emit(values, outcome.report);
  return exit_ok;
}

}  // namespace

Command explain_command() { return {"explain", "say where a message's time went", explain_line, run_explain}; }

}  // namespace tsunagi::app
