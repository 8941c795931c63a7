// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/commands.hpp"
#include "app/exit_codes.hpp"
#include "app/file_kinds.hpp"
#include "app/output.hpp"
#include "config/suggest.hpp"

namespace tsunagi::app {
namespace {

CommandLine schema_line() {
  std::string kinds;
  for (const FileKind& kind : file_kinds()) kinds += fmt::format("\n  {:<9}{}", kind.name, kind.doc);
  CommandLine line("schema [FILE-TYPE]",
                   "Prints the JSON Schema of a type of config file, for editors that complete and check as you type.\n"
                   "File types (default: run):" +
                       kinds,
                   "  tsunagi schema > run.schema.json\n"
                   "  tsunagi schema machine > machine.schema.json\n");
  line.input(1);
  return line;
}

int run_schema(const boost::program_options::variables_map& values) {
  const std::vector<std::string> words = inputs(values);
  const std::string wanted = words.empty() ? "run" : words.front();
  std::vector<std::string> known;
  for (const FileKind& kind : file_kinds()) {
    known.push_back(kind.name);
    if (kind.name != wanted) continue;
    write_stdout(kind.schema().dump(2) + "\n");
    return exit_ok;
  }
  throw UsageError(config::detail::unknown("file type", wanted, known));
}

}  // namespace

Command schema_command() { return {"schema", "print the JSON Schema of a config file", schema_line, run_schema}; }

}  // namespace tsunagi::app
