// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "app/commands.hpp"
#include "app/files/config_files.hpp"
#include "app/files/file_kinds.hpp"
#include "app/files/input_file.hpp"
#include "app/shell/exit_codes.hpp"
#include "app/shell/output.hpp"
#include "config/text/printable.hpp"
#include "experiment/simulation.hpp"
#include "runner/places.hpp"
#include "runner/stream.hpp"

namespace tsunagi::app {
namespace {

CommandLine validate_line() {
  CommandLine line(
      "validate FILE...",
      "Checks config files strictly and simulates nothing: unknown keys, units, ranges, missing files. Machines\n"
      "are built, with library and scenario where there is a run: ports, roles, routes, packet sizes,\n"
      "addresses. What `run` refuses before time 0 is refused. What a file is (run, sweep, machine, part,\n"
      "tables, figures, missed) is told from its keys; of a sweep the run as it is is built. Faults are reported\n"
      "as FILE:LINE:COL; exit code 2 when there is one.\n"
      "A FILE is also a name that `tsunagi list` prints, of a run, machine or sweep, or -: standard input.",
      "  tsunagi validate configs/runs/tca_pio_ping_pong.json\n"
      "  tsunagi validate configs/machines/*.json configs/figures/*.json\n");
  line.input(-1);
  add_configs_option(line);
  return line;
}

std::optional<Built> check(const boost::program_options::variables_map& values, const std::string& file) {
  const config::Document document = load_input(input_path(values, file, {"runs", "machines", "sweeps"}));
  const auto& kinds = file_kinds();
  const auto kind =
      std::find_if(kinds.begin(), kinds.end(), [&](const FileKind& k) { return k.recognise(document.root); });
  if (kind == kinds.end()) {
    config::throw_if_any(document.problems);
    throw config::ConfigError(
        {{document.root.place, "",
          "is no run, sweep, machine, part, figures or missed file: it has none of the keys \"scenario\", \"axes\", "
          "\"topology\", \"kind\", \"figures\", \"missed\""}});
  }
  return kind->check(document);
}

/// Checks files, and builds what they describe, some at a time; tells what came of each in their order.
class Validation {
 public:
  Validation(const boost::program_options::variables_map& values, std::vector<std::string> files)
      : values_(values), files_(std::move(files)), verdicts_(files_.size()) {}

  int run() {
    runner::Options options;
    options.jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    const bool all = runner::run_stream([this] { return next(); }, experiment::elaboration(), options);
    return all ? worst_ : exit_interrupted;
  }

 private:
  struct Verdict {
    int code = exit_ok;
    std::string text;  // what is wrong
  };

  std::optional<runner::Task> next() {
    if (next_ == files_.size()) return std::nullopt;
    const std::size_t i = next_++;
    try {
      std::optional<Built> built = check(values_, files_[i]);
      if (!built) {
        end(i, {});
        return runner::Task{};
      }
      return runner::Task{
          [run = built->run] { return run; },
          [this, i, built = std::move(*built)](const runner::Outcome& outcome) { end(i, verdict(outcome, built)); }};
    } catch (const config::ConfigError& e) {
      end(i, {exit_bad_input, e.what()});
      return runner::Task{};
    }
  }

  static Verdict verdict(const runner::Outcome& outcome, const Built& built) {
    if (outcome.status == runner::Status::ok) return {};
    if (outcome.status == runner::Status::interrupted) return {exit_interrupted, ""};
    if (outcome.status != runner::Status::config_error)
      return {exit_failed,
              fmt::format("{}: {}", config::printable(built.document.name), fmt::join(outcome.messages, "\n"))};
    std::vector<config::Message> messages = outcome.config_errors;
    for (config::Message& message : messages)
      if (message.pointer.compare(0, built.root.size(), built.root) == 0) message.pointer.erase(0, built.root.size());
    return {exit_bad_input, config::ConfigError(runner::located(messages, built.document)).what()};
  }

  void end(std::size_t i, Verdict verdict) {
    verdicts_[i] = std::move(verdict);
    for (; told_ < verdicts_.size() && verdicts_[told_]; ++told_) {
      const Verdict& v = *verdicts_[told_];
      if (v.code == exit_ok) write_stdout(fmt::format("{}: ok\n", config::printable(files_[told_])));
      if (!v.text.empty()) write_stderr(v.text + "\n");
      worst_ = std::max(worst_, v.code);
    }
  }

  const boost::program_options::variables_map& values_;
  std::vector<std::string> files_;
  std::vector<std::optional<Verdict>> verdicts_;
  std::size_t next_ = 0;
  std::size_t told_ = 0;
  int worst_ = exit_ok;
};

int run_validate(const boost::program_options::variables_map& values) {
  const std::vector<std::string> files = inputs(values);
  if (files.empty()) throw UsageError("which files? usage: tsunagi validate FILE...");
  return Validation(values, files).run();
}

}  // namespace

Command validate_command() {
  return {"validate", "check config files, build machines, simulate nothing", validate_line, run_validate};
}

}  // namespace tsunagi::app
