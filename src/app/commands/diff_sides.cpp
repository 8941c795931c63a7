// SPDX-License-Identifier: Apache-2.0
#include "app/commands/diff_sides.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "app/files/input_file.hpp"
#include "cluster/catalogs.hpp"
#include "config/text/file_text.hpp"
#include "experiment/version.hpp"
#include "report/formats/json.hpp"
#include "report/measured.hpp"
#include "sweep/results/kept.hpp"
#include "sweep/results/store.hpp"

namespace tsunagi::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

bool is_result(const Json& json) { return json.is_object() && json.contains("rows") && json.contains("run"); }

DiffSide result_side(const std::string& name, const Json& json) {
  DiffSide out;
  out.side = {name, "result", "", {}};
  out.files = {name};
  const auto text = [&](const char* key) {
    return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : std::string();
  };
  out.side.version = text("tsunagi") + (text("models").empty() ? "" : "+models." + text("models"));
  try {
    out.side.table = compare::table_of(json["rows"]);
  } catch (const std::runtime_error& e) {
    const std::string what = e.what();  // "/3: must be an object"
    const std::size_t colon = what[0] == '/' ? what.find(": ") : std::string::npos;
    throw colon == std::string::npos ? error_in(name, "/rows", what)
                                     : error_in(name, "/rows" + what.substr(0, colon), what.substr(colon + 2));
  }
  if (json["run"].is_object()) out.config = json["run"];
  if (json.contains("explanations") && json["explanations"].is_array()) out.explanations = json["explanations"];
  if (json.contains("incomplete") && json["incomplete"] == true)
    out.odd.push_back(name + " is of a run that did not come to its end: rows are missing");
  return out;
}

/// What tables show of a value as JSON text: a string has lost its quotes there.
std::string json_text(const std::string& text) {
  return Json::accept(text) ? text : Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

DiffSide sweep_side(const std::string& name) {
  DiffSide out;
  out.side = {name, "sweep", "", {}};
  sweep::Kept kept;
  try {
    kept = sweep::read_kept(name);
  } catch (const sweep::ForeignFolder& e) {
    throw UsageError(e.what());
  }
  out.side.version = kept.version;
  std::vector<report::AxisColumn> axes;
  for (std::size_t k = 0; k < kept.axes.size(); ++k) {
    std::vector<std::string> values;
    for (const sweep::Result& result : kept.results)
      if (k < result.coordinates.size()) values.push_back(json_text(result.coordinates[k].value));
    axes.emplace_back(kept.axes[k], values);
    out.side.table.axes.push_back(axes.back().key());
  }
  for (const sweep::Result& result : kept.results)
    for (compare::Row& row : compare::table_of(report::rows_to_json(result.rows)).rows) {
      Json with = Json::object();
      for (std::size_t k = 0; k < axes.size() && k < result.coordinates.size(); ++k)
        with[axes[k].key()] = report::to_json(axes[k].value(result.coordinates[k].value));
      compare::Row& all = out.side.table.rows.emplace_back(compare::table_of(Json::array({with})).rows.front());
      for (compare::Cell& cell : row)
        if (compare::find(all, cell.column) == nullptr) all.push_back(std::move(cell));
    }
  out.odd = kept.damaged;
  if (kept.failed > 0)
    out.odd.push_back(
        fmt::format("{}: {} point{} failed, and has no rows", name, kept.failed, kept.failed == 1 ? "" : "s"));
  return out;
}

DiffSide run_side(const std::string& name, RunFile file) {
  DiffSide out;
  out.side = {name, "run", experiment::model_version(), {}};
  out.files = file.document.files.all();
  out.config = config::resolved(file.config);
  out.run = std::move(file);
  return out;
}

}  // namespace

DiffSide open_side(const std::string& word, const std::vector<config::Override>& overrides) {
  const std::string name = is_stdin(word) ? "stdin" : word;
  std::error_code error;
  if (!is_stdin(word) && fs::is_directory(name, error)) return sweep_side(name);
  std::string why;
  const auto text = is_stdin(word)            ? std::optional(standard_input())
                    : fs::exists(name, error) ? config::detail::read_text(name, why)
                                              : std::nullopt;
  if (text) {
    const Json json = Json::parse(*text, nullptr, false, true);
    if (is_result(json)) return result_side(name, json);
    if (is_stdin(word) || !fs::is_regular_file(name, error))  // a pipe: there is nothing more to read
      return run_side(name, run_of(config::parse(*text, name, overrides, config::resolver<RunConfig>(all_kinds()))));
  }
  return run_side(name, open_run(name, overrides));
}

DiffSide rerun_of(const DiffSide& result, const std::vector<config::Override>& overrides) {
  if (!result.config) throw UsageError(result.side.name + " does not hold the run that it is of; name B");
  const std::string name = result.side.name + "'s run";
  const std::string text = result.config->dump(2, ' ', false, Json::error_handler_t::replace);
  return run_side(name, run_of(config::parse(text, name, overrides, config::resolver<RunConfig>(all_kinds()))));
}

}  // namespace tsunagi::app
