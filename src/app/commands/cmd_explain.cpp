// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/commands.hpp"
#include "app/commands/one_message.hpp"
#include "app/commands/runner_options.hpp"
#include "app/files/run_file.hpp"
#include "app/shell/exit_codes.hpp"
#include "app/shell/output.hpp"
#include "app/shell/output_format.hpp"
#include "app/shell/progress.hpp"
#include "experiment/explanation.hpp"
#include "whatif/text.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {
namespace {

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
  add_message_options(line);
  line.option("links", po::value<int>()->default_value(4)->value_name("N"), "wires in the bandwidth account");
  line.flag("why-not-faster", "run again with one limit gone at a time, and say which one it is");
  add_jobs_option(line);
  line.option("format", po::value<std::string>()->default_value("table")->value_name("NAME"), "table or json");
  line.completes("format", {"table", "json"});
  line.option("out", po::value<std::string>()->value_name("FILE"),
              "write there; - or none: to standard output. Its extension chooses the format: .txt, .json");
  return line;
}

runner::Options options(const po::variables_map& values) {
  runner::Options out;
  const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  out.jobs = values.count("jobs") != 0 ? values["jobs"].as<int>() : cores;
  if (out.jobs < 1) throw UsageError("--jobs needs a number from 1 on");
  return out;
}

int why_not_faster(const po::variables_map& values, const RunFile& file, const runner::Options& options, bool json) {
  const whatif::Comparison found = compared(file.config, options, "explain");
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
  const RunFile file = narrowed(values, "explain");
  if (values.count("why-not-faster") != 0) return why_not_faster(values, file, many, json);
  const runner::Outcome outcome = explained(file.config, links, json);
  if (outcome.status != runner::Status::ok) return tell_failure("explain", file.document, outcome);
  emit(values, outcome.report);
  return exit_ok;
}

}  // namespace

Command explain_command() { return {"explain", "say where a message's time went", explain_line, run_explain}; }

}  // namespace tsunagi::app
