// SPDX-License-Identifier: Apache-2.0
// The types of config files. To add one, add a line to the table at the end.
#include "app/files/file_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/files/run_file.hpp"
#include "cluster/catalogs.hpp"
#include "config/suggest.hpp"
#include "experiment/version.hpp"
#include "figures/figure_files.hpp"
#include "figures/run_plan.hpp"
#include "fit/problem.hpp"
#include "lesson/assignment.hpp"
#include "machine/machine_config.hpp"
#include "models/libraries/mpi/collective_tables.hpp"
#include "runner/run_config.hpp"
#include "runner/title.hpp"
#include "sweep/plan/plan.hpp"
#include "sweep/plan/sweep_config.hpp"

namespace tsunagi::app {
namespace {

using config::Document;
using config::Value;

bool has(const Value& root, const char* key) { return root.find(key) != nullptr; }

std::optional<Built> check_run(const Document& document) {
  Built built{read_and_tell<RunConfig>(document), document, ""};
  runner::check_title(document);
  return built;
}

std::optional<Built> check_machine(const Document& document) {
  RunConfig alone;
  alone.machine = read_and_tell<MachineConfig>(document);
  runner::check_title(document);
  return Built{alone, document, "/machine"};
}

/// Checks all points' values; their machines may be as many as they are: the run as it is stands for them.
std::optional<Built> check_sweep(const Document& document) {
  const sweep::Sweep all = sweep::read_sweep(document);
  sweep::Plan(all, all_kinds(), experiment::version());
  config::throw_if_any(runner::title_faults(document, all.base, sweep::varied(all)));
  return check_run(all.base);
}

/// Tables of algorithms, which libraries use: what they are of is all that says so.
bool has_tables(const Value& root) {
  return has(root, "all_to_all") || has(root, "all_to_all_v") || has(root, "allgather") || has(root, "allreduce") ||
         has(root, "broadcast") || has(root, "gather") || has(root, "reduce") || has(root, "scatter");
}

std::optional<Built> check_tables(const Document& document) {
  config::read<libraries::CollectiveTables>(document, all_kinds());
  return std::nullopt;
}

std::optional<Built> check_figures(const Document& document) {
  figures::read_figures(document);
  return std::nullopt;
}

std::optional<Built> check_missed(const Document& document) {
  figures::read_missed(document);
  return std::nullopt;
}

std::optional<Built> check_fit(const Document& document) {
  fit::Problem(fit::read_fit(document), document, all_kinds());
  return std::nullopt;
}

/// With the runs of one student: others' differ in values that they may draw.
std::optional<Built> check_lesson(const Document& document) {
  const lesson::Lesson lesson = lesson::read_lesson(document);
  const lesson::Assignment first(lesson, lesson::all_draws(lesson).front());
  std::vector<figures::FigureEntry> questions;
  for (const lesson::Asked& asked : first.questions) questions.push_back(asked.measured);
  figures::RunPlan(questions, all_kinds());
  return std::nullopt;
}

template <class C>
nlohmann::ordered_json schema_of(const char* title) {
  return config::json_schema<C>(all_kinds(), title);
}

/// The families that have the part's kind ("tca" is a topology and a library); "device" if it is no word, as any
/// family's reader then says. Throws config::ConfigError with the kinds of all families if none has it.
std::vector<std::string> families_of(const Document& document) {
  const Value* kind = document.root.find("kind");
  if (kind == nullptr || !kind->is_string()) return {"device"};
  std::vector<std::string> out;
  std::vector<std::string> known;
  for (const config::KindTable& table : all_kinds().tables()) {
    if (table.find(kind->text) != nullptr) out.push_back(table.family);
    for (const config::Kind& k : table.kinds)
      if (std::find(known.begin(), known.end(), k.name) == known.end()) known.push_back(k.name);
  }
  if (!out.empty()) return out;
  std::vector<config::Message> messages = document.problems;
  messages.push_back({kind->place, "", config::detail::unknown("kind", kind->text, known)});
  throw config::ConfigError(messages);
}

/// Good if it is of one of its families; else what the family says that has least to complain of.
std::optional<Built> check_part(const Document& document) {
  std::optional<config::ConfigError> least;
  for (const std::string& family : families_of(document)) {
    try {
      config::read_any(document, all_kinds(), family);
      return std::nullopt;
    } catch (const config::ConfigError& e) {
      if (!least || e.messages().size() < least->messages().size()) least.emplace(e);
    }
  }
  throw *least;
}

nlohmann::ordered_json schema_of_parts() {
  std::vector<std::string> families;
  for (const config::KindTable& table : all_kinds().tables()) families.push_back(table.family);
  return config::part_schema(families, all_kinds(), "a part of any family");
}

}  // namespace

const std::vector<FileKind>& file_kinds() {
  static const std::vector<FileKind> all{
      {"figures", "published figures of one system", [](const Value& v) { return has(v, "figures"); }, check_figures,
       [] { return schema_of<figures::FigureFile>("published figures"); }},
      {"missed", "figures known not to come out", [](const Value& v) { return has(v, "missed"); }, check_missed,
       [] { return schema_of<figures::MissedFile>("figures known not to come out"); }},
      {"fit", "parameters of parts that are free, and measured curves", [](const Value& v) { return has(v, "curves"); },
       check_fit, [] { return schema_of<fit::FitFile>("a fit"); }},
      {"lesson", "numbers to be predicted, and the runs that show them",
       [](const Value& v) { return has(v, "questions"); }, check_lesson,
       [] { return schema_of<lesson::Lesson>("a lesson"); }},
      {"sweep", "a run and the axes along which it varies", [](const Value& v) { return has(v, "axes"); }, check_sweep,
       sweep::sweep_schema},
      {"run", "a machine, a library and a scenario",
       [](const Value& v) { return has(v, "scenario") || has(v, "library") || has(v, "machine"); }, check_run,
       [] { return schema_of<RunConfig>("a run"); }},
      {"machine", "parts and how they are wired", [](const Value& v) { return has(v, "topology"); }, check_machine,
       [] { return schema_of<MachineConfig>("a machine"); }},
      {"part", "one device, wire, topology, library or scenario", [](const Value& v) { return has(v, "kind"); },
       check_part, schema_of_parts},
      {"tables", "algorithms of collective calls, which a library uses", has_tables, check_tables,
       [] { return schema_of<libraries::CollectiveTables>("algorithms of collective calls"); }},
  };
  return all;
}

}  // namespace tsunagi::app
