// SPDX-License-Identifier: Apache-2.0
#include "sweep/results/result.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "config/text/printable.hpp"
#include "report/accounts/rows_accounts.hpp"
#include "report/digest.hpp"
#include "report/formats/cell_json.hpp"
#include "report/formats/json.hpp"
#include "report/formats/table_layout.hpp"
#include "sweep/plan/id.hpp"

namespace tsunagi::sweep {
namespace {

using Json = nlohmann::ordered_json;

/// What each key of the rows means: {"latency_fs": ["latency", "time"], …}.
Json columns_of(const report::Rows& rows) {
  Json out = Json::object();
  for (const report::Row& row : rows.rows)
    for (const auto& [name, cell] : row.cells())
      out[report::name_with_unit(name, cell)] = {name, report::type_of(cell)};
  return out;
}

report::Rows rows_of(const Json& in) {
  report::Rows out;
  for (const Json& cells : in.at("rows")) {
    report::Row& row = out.rows.emplace_back();
    for (const auto& [key, value] : cells.items()) {
      const Json& column = in.at("columns").at(key);
      report::add_cell(row, column.at(0).get<std::string>(), column.at(1).get<std::string>(), value);
    }
  }
  for (const Json& rate : in.at("rates"))
    out.rates.push_back({rate.at(0).get<std::string>(), rate.at(1).get<std::string>(), rate.at(2).get<std::string>()});
  return out;
}

report::Cost cost_of(const Json& in) {
  report::Cost out;
  out.wall_s = in.at("wall_s").get<double>();
  out.cpu_s = in.at("cpu_s").get<double>();
  out.peak_rss_bytes = in.at("peak_rss_bytes").get<std::int64_t>();
  out.wakeups = in.at("wakeups").get<std::uint64_t>();
  out.packet_hops = in.at("packet_hops").get<std::uint64_t>();
  out.simulated = Time::from_fs(std::llround(in.at("simulated_s").get<double>() * 1e15));
  return out;
}

/// Covers all of a result but itself.
std::string seal_of(Json result) {
  result.erase("seal");
  return id_from(hash_bytes(result.dump(-1, ' ', false, Json::error_handler_t::replace)), "");
}

Result result_of(const Json& in) {
  if (!in.is_object()) throw std::runtime_error("it is no object");
  Result out;
  out.id = in.at("point").get<std::string>();
  const auto status = in.at("status").get<std::string>();
  if (status != "ok" && status != "failed") throw std::runtime_error("its status is \"" + status + "\"");
  out.ok = status == "ok";
  out.messages = in.at("messages").get<std::vector<std::string>>();
  for (const auto& [axis, value] : in.at("coordinates").items())
    out.coordinates.push_back({axis, value.get<std::string>()});
  out.rows = rows_of(in);
  report::rows_accounts_from_json(in.at("accounts"), out.rows);
  out.cost = cost_of(in.at("cost"));
  if (in.at("digest").get<std::string>() != report::digest(out.rows))
    throw std::runtime_error("its rows do not fit its digest");
  if (in.at("seal").get<std::string>() != seal_of(in)) throw std::runtime_error("its content does not fit its seal");
  return out;
}

}  // namespace

std::string to_text(const Result& result) {
  Json out;
  out["point"] = result.id;
  out["status"] = result.ok ? "ok" : "failed";
  out["messages"] = result.messages;
  out["coordinates"] = Json::object();
  for (const Coordinate& c : result.coordinates) out["coordinates"][c.axis] = c.value;
  out["rows"] = report::cells_to_json(result.rows);
  out["columns"] = columns_of(result.rows);
  out["rates"] = Json::array();
  for (const report::DerivedRate& rate : result.rows.rates)
    out["rates"].push_back(Json::array({rate.name, rate.bytes, rate.time}));
  out["accounts"] = report::rows_accounts_to_json(result.rows);
  out["cost"] = report::cost_to_json(result.cost);
  out["digest"] = report::digest(result.rows);
  out["seal"] = seal_of(out);
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result from_text(const std::string& text) {
  const auto is_flat = [](int depth, Json::parse_event_t, Json&) {
    constexpr int most = 16;  // a result needs six; whoever walks over it needs stack
    if (depth > most) throw std::runtime_error("it is nested too deep");
    return true;
  };
  try {
    return result_of(Json::parse(text, is_flat));
  } catch (const Json::parse_error&) {
    throw std::runtime_error("it is cut or no JSON");
  } catch (const Json::exception& e) {
    throw std::runtime_error(fmt::format("it has another shape than a result: {}", config::told_by(e)));
  }
}

}  // namespace tsunagi::sweep
