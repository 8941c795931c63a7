// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/file_kinds.hpp"
#include "app/output.hpp"
#include "config/printable.hpp"

namespace tsunagi::app {
namespace {

CommandLine validate_line() {
  CommandLine line("validate FILE...",
                   "Checks config files strictly and simulates nothing: unknown keys, units, ranges, missing files.\n"
                   "What a file is (run, machine, part, figures, missed) is told from its keys. Every fault of a file\n"
                   "is reported at once as FILE:LINE:COL; exit code 2 when there is one.",
                   "  tsunagi validate configs/runs/tca_pio_ping_pong.json\n"
                   "  tsunagi validate configs/machines/*.json configs/figures/*.json\n");
  line.input(-1);
  return line;
}

void check(const std::string& file) {
  const config::Document document = config::load(file);
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
  kind->check(document);
}

int run_validate(const boost::program_options::variables_map& values) {
  const std::vector<std::string> files = inputs(values);
  if (files.empty()) throw UsageError("which files? usage: tsunagi validate FILE...");
  bool good = true;
  for (const std::string& file : files) {
    try {
      check(file);
      write_stdout(fmt::format("{}: ok\n", config::printable(file)));
    } catch (const config::ConfigError& e) {
      write_stderr(fmt::format("{}\n", e.what()));
      good = false;
    }
  }
  return good ? exit_ok : exit_bad_input;
}

}  // namespace

Command validate_command() { return {"validate", "check config files, simulate nothing", validate_line, run_validate}; }

}  // namespace tsunagi::app
