// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/commands/runner_options.hpp"
#include "app/files/config_files.hpp"
#include "app/files/input_file.hpp"
#include "app/files/plots.hpp"
#include "app/files/run_file.hpp"
#include "app/shell/exit_codes.hpp"
#include "app/shell/output.hpp"
#include "app/shell/output_format.hpp"
#include "app/shell/progress.hpp"
#include "cluster/catalogs.hpp"
#include "experiment/simulation.hpp"
#include "experiment/version.hpp"
#include "fit/curves_plot.hpp"
#include "fit/parts.hpp"
#include "fit/text.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {
namespace {

CommandLine fit_line() {
  CommandLine line("fit FIT.json [options]",
                   "Calibrates parts to measurements: looks for the values of free parameters with which runs come\n"
                   "closest to measured curves. Says how well each value is known, which of them the data cannot\n"
                   "tell apart, and how far each curve is off. docs/fit.md walks through one's own log.",
                   "  tsunagi fit configs/fits/verbs_qdr.json\n"
                   "  tsunagi fit mine.json --plot mine.svg --write\n");
  line.input(1);
  line.option("runs", po::value<int>()->default_value(200)->value_name("N"),
              "simulate at most so many runs; then the best so far is it");
  line.option("format", po::value<std::string>()->default_value("table")->value_name("NAME"), "table or json");
  line.completes("format", {"table", "json"});
  line.option("out", po::value<std::string>()->value_name("FILE"),
              "write there; - or none: to standard output. Its extension chooses the format: .txt, .json");
  line.option("plot", po::value<std::string>()->value_name("FILE.svg"),
              "draw measured and simulated curves; the gnuplot script and its data stand beside it (.gp, .dat)");
  line.flag("write", "put the values into the parts' files, with where they come from; all else there stays as it is");
  add_jobs_option(line);
  add_configs_option(line);
  return line;
}

/// Says how many runs there were, on a terminal.
class FitProgress {
 public:
  FitProgress(runner::Options& options, int most) : most_(most) {
    if (!line_.watched()) return;
    options.progress = [this](std::size_t done, std::size_t /*of this place*/) {
      if (done > 0) ++done_;
      line_.draw(fmt::format("tsunagi fit: {} of {} runs at most", done_, most_));
    };
  }

 private:
  ProgressLine line_;
  int most_;
  std::size_t done_ = 0;
};

fit::Problem problem_of(const po::variables_map& values) {
  const std::vector<std::string> files = inputs(values);
  if (files.empty()) throw UsageError("which fit? usage: tsunagi fit FIT.json");
  const config::Document document = load_input(input_path(values, files.front(), {"fits"}));
  require_kind(document, "fit", "a fit has \"parameters\" and \"curves\"");
  fit::Problem out(fit::read_fit(document), document, all_kinds());
  keep_inputs(values, out.files());
  return out;
}

void write_parts(const fit::Problem& problem, const fit::Fit& found) {
  for (const auto& [file, text] : fit::fitted_parts(problem, found)) {
    write_file(file.string(), text);
    write_note(fmt::format("tsunagi fit: wrote {}\n", file.string()));
  }
}

int run_fit(const po::variables_map& values) {
  const std::string format = output_format(values, {"table", "json"});
  const int most = values["runs"].as<int>();
  if (most < 1) throw UsageError("--runs needs at least 1");
  runner::Options options = runner_options(values);
  check_out(values);
  check_plots(values);
  use_names_of_configs(values);
  const fit::Problem problem = problem_of(values);
  const auto found = [&] {
    const FitProgress progress(options, most);
    return fit::fit(problem, static_cast<std::size_t>(most), experiment::simulation(), options);
  }();
  if (!found) return exit_interrupted;
  emit(values, format == "json" ? fit::json(problem, *found, experiment::version()) : fit::text(problem, *found));
  if (values.count("plot") != 0) {
    const std::string svg = values["plot"].as<std::string>();
    plot::write(fit::curves_plot(problem, *found), svg.substr(0, svg.rfind('.')));
  }
  if (found->ending == fit::Ending::interrupted) return exit_interrupted;
  if (values.count("write") != 0) write_parts(problem, *found);
  return exit_ok;
}

}  // namespace

Command fit_command() { return {"fit", "calibrate parts to measurements", fit_line, run_fit}; }

}  // namespace tsunagi::app
