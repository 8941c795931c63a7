// SPDX-License-Identifier: Apache-2.0
#include "app/commands/row_alone.hpp"

#include <algorithm>

#include "cluster/catalogs.hpp"
#include "experiment/explanation.hpp"
#include "report/formats/json.hpp"

namespace tsunagi::app {
namespace {

using Json = nlohmann::ordered_json;
using compare::Row;

/// A list of a scenario, and the column that says of a row which of its values it is of.
struct Listed {
  const char* list;
  const char* column;
};
constexpr Listed lists[] = {{"sizes", "size_bytes"}, {"methods", "method"}, {"algorithms", "algorithm"},
                            {"counts", "count"},     {"ranks", "ranks"},    {"windows", "window_bytes"},
                            {"scales", nullptr}};

/// What makes the run measure one row alone.
std::vector<config::Override> narrowed_to(const Row& row, const Json& scenario) {
  std::vector<config::Override> out;
  for (const Listed& l : lists) {
    if (!scenario.contains(l.list) || !scenario[l.list].is_array() || scenario[l.list].size() < 2) continue;
    const compare::Value* value = l.column == nullptr ? nullptr : compare::find(row, l.column);
    Json one = value == nullptr ? scenario[l.list].front() : compare::to_json(*value);
    if (value != nullptr && compare::bare_name(l.column) + "_bytes" == l.column) one = one.dump() + " B";
    out.push_back(
        {std::string("/scenario/") + l.list, Json::array({one}).dump(-1, ' ', false, Json::error_handler_t::replace)});
  }
  return out;
}

}  // namespace

RunConfig run_from(const Json& config, const std::string& name, const std::vector<config::Override>& overrides) {
  const std::string text = config.dump(2, ' ', false, Json::error_handler_t::replace);
  return config::read<RunConfig>(config::parse(text, name, overrides), all_kinds());  // warnings were told
}

RunConfig row_alone(const Json& config, const std::string& name, const Row& row) {
  return run_from(config, name, narrowed_to(row, config.value("scenario", Json::object())));
}

bool measured(const runner::Outcome& outcome, const Row& row, bool exactly) {
  const auto is_measured = [](const compare::Cell& c) {
    return compare::is_time_or_rate(c.column) || std::holds_alternative<double>(c.value);
  };
  const compare::Table table = compare::table_of(report::rows_to_json(outcome.rows));
  return std::any_of(table.rows.begin(), table.rows.end(), [&](const Row& now) {
    return std::all_of(row.begin(), row.end(), [&](const compare::Cell& c) {
      const compare::Value* value = compare::find(now, c.column);
      return (!exactly && is_measured(c)) || value == nullptr || *value == c.value;
    });
  });
}

std::optional<Json> explained_rows(const Json& config, const std::string& name, const report::Rows& rows,
                                   runner::Options options) {
  const compare::Table table = compare::table_of(report::rows_to_json(rows));
  std::vector<RunConfig> runs;
  for (const Row& row : table.rows) runs.push_back(row_alone(config, name, row));
  const auto outcomes = runner::run_many(runs, experiment::explaining(0, true), options);
  Json out = Json::array();
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].status == runner::Status::interrupted) return std::nullopt;
    const bool alone = outcomes[i].status == runner::Status::ok && outcomes[i].rows.rows.size() == 1;
    const bool told = alone && measured(outcomes[i], table.rows[i], false);
    out.push_back(told ? Json::parse(outcomes[i].report) : Json());
  }
  return out;
}

}  // namespace tsunagi::app
