// SPDX-License-Identifier: Apache-2.0
#include "report/formats/json.hpp"

#include <nlohmann/json.hpp>

#include "report/accounts/rows_accounts.hpp"
#include "report/digest.hpp"
#include "report/formats/cell_json.hpp"
#include "report/formats/table_layout.hpp"
#include "report/measured.hpp"

namespace tsunagi::report {

nlohmann::ordered_json cells_to_json(const Rows& rows) {
  auto out = nlohmann::ordered_json::array();
  for (const Row& row : rows.rows) {
    auto object = nlohmann::ordered_json::object();
    for (const auto& [name, cell] : row.cells()) object[name_with_unit(name, cell)] = value_of(cell);
    out.push_back(std::move(object));
  }
  return out;
}

nlohmann::ordered_json rows_to_json(const Rows& rows) {
  auto out = nlohmann::ordered_json::array();
  for (const Row& row : rows.rows) {
    auto object = nlohmann::ordered_json::object();
    for (const Measured& m : measured(rows, row)) object[m.key] = to_json(m.value);
    out.push_back(std::move(object));
  }
  return out;
}

namespace {

nlohmann::ordered_json ceilings_to_json(const Rows& rows) {
  auto out = nlohmann::ordered_json::array();
  for (const Ceiling& c : rows.ceilings) {
    nlohmann::ordered_json one;
    if (!c.method.empty()) one["method"] = c.method;
    one["name"] = c.name;
    one["bytes_per_second"] = c.rate.bytes_per_second();
    if (c.burst > Bytes::zero()) one["burst_bytes"] = c.burst.count();
    if (rows.to_and_fro) one["from"] = c.back ? 1 : 0;
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

nlohmann::ordered_json cost_to_json(const Cost& cost) {
  return {{"wall_s", cost.wall_s},
          {"cpu_s", cost.cpu_s},
          {"peak_rss_bytes", cost.peak_rss_bytes},
          {"wakeups", cost.wakeups},
          {"packet_hops", cost.packet_hops},
          {"simulated_s", static_cast<double>(cost.simulated.fs()) * 1e-15}};
}

namespace {

const std::string models_prefix = "+models.";

}  // namespace

std::string json(const Result& result) {
  nlohmann::ordered_json out;
  const std::size_t models = result.version.find(models_prefix);
  out["tsunagi"] = result.version.substr(0, models);
  if (models != std::string::npos) out["models"] = result.version.substr(models + models_prefix.size());
  out["run"] = result.run();
  if (result.incomplete) out["incomplete"] = true;
  out["rows"] = rows_to_json(result.rows);
  if (result.counters != nullptr) out["counters"] = rows_to_json(*result.counters);
  if (!result.rows.ceilings.empty()) out["ceilings"] = ceilings_to_json(result.rows);
  if (result.rows.accounts) out["accounts"] = rows_accounts_to_json(result.rows);
  if (result.explanations != nullptr) out["explanations"] = *result.explanations;
  out["cost"] = cost_to_json(result.cost);
  if (!result.incomplete) out["digest"] = digest(result.rows);
  return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tsunagi::report
