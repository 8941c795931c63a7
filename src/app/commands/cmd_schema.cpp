// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/commands.hpp"
#include "app/files/file_kinds.hpp"
#include "app/shell/exit_codes.hpp"
#include "app/shell/output.hpp"
#include "cluster/catalogs.hpp"
#include "config/config.hpp"
#include "config/suggest.hpp"

namespace tsunagi::app {
namespace {

std::vector<std::string> families() {
  std::vector<std::string> out;
  for (const config::KindTable& table : all_kinds().tables()) out.push_back(table.family);
  return out;
}

CommandLine schema_line() {
  std::string kinds;
  std::vector<std::string> names = families();
  for (const FileKind& kind : file_kinds()) {
    kinds += fmt::format("\n  {:<9}{}", kind.name, kind.doc);
    names.push_back(kind.name);
  }
  CommandLine line("schema [FILE-TYPE | FAMILY [KIND]]",
                   fmt::format("Prints the JSON Schema of a type of config file, for editors that complete and check "
                               "as you type.\nFile types (default: run):{}\n"
                               "Families of parts, all kinds or one of them (see `tsunagi list`): {}",
                               kinds, fmt::join(families(), ", ")),
                   "  tsunagi schema > run.schema.json\n"
                   "  tsunagi schema machine > machine.schema.json\n"
                   "  tsunagi schema device peach2\n"
                   "  tsunagi schema scenario ping_pong\n");
  line.input(2);
  line.completes("input", names);
  return line;
}

/// The schema of one kind of a family, or of all.
nlohmann::ordered_json schema_of_family(const config::KindTable& table, const std::vector<std::string>& words) {
  if (words.size() == 1) return config::part_schema({table.family}, all_kinds(), "a " + table.family);
  std::vector<std::string> known;
  for (const config::Kind& kind : table.kinds) {
    if (kind.name == words[1]) return config::part_schema(kind, all_kinds());
    known.push_back(kind.name);
  }
  throw UsageError(config::detail::unknown(table.family, words[1], known));
}

nlohmann::ordered_json schema_of(const std::vector<std::string>& words) {
  const std::string wanted = words.empty() ? "run" : words.front();
  if (const config::KindTable* table = all_kinds().find(wanted)) return schema_of_family(*table, words);
  std::vector<std::string> known;
  for (const FileKind& kind : file_kinds()) {
    known.push_back(kind.name);
    if (kind.name != wanted) continue;
    if (words.size() > 1)
      throw UsageError(fmt::format("a {} has no kinds; families that have: {}", wanted, fmt::join(families(), ", ")));
    return kind.schema();
  }
  for (const std::string& family : families()) known.push_back(family);
  throw UsageError(config::detail::unknown("file type", wanted, known));
}

int run_schema(const boost::program_options::variables_map& values) {
  write_stdout(schema_of(inputs(values)).dump(2) + "\n");
  return exit_ok;
}

}  // namespace

Command schema_command() {
  return {"schema", "print the JSON Schema of a config file or part", schema_line, run_schema};
}

}  // namespace tsunagi::app
