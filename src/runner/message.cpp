// SPDX-License-Identifier: Apache-2.0
#include "runner/message.hpp"

#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "report/accounts/rows_accounts.hpp"
#include "report/formats/cell_json.hpp"

namespace tsunagi::runner {
namespace {

using Json = nlohmann::ordered_json;

Json pack_error(const config::Message& message) {
  const config::Place& place = message.place;
  return {place.file ? Json(*place.file) : Json(), place.line, place.column, message.pointer, message.text};
}

config::Message unpack_error(const Json& error) {
  config::Message message;
  if (!error.at(0).is_null()) message.place.file = std::make_shared<const std::string>(error.at(0).get<std::string>());
  message.place.line = error.at(1).get<int>();
  message.place.column = error.at(2).get<int>();
  message.pointer = error.at(3).get<std::string>();
  message.text = error.at(4).get<std::string>();
  return message;
}

Json pack_rows(const report::Rows& rows) {
  Json out = Json::array();
  for (const report::Row& row : rows.rows) {
    Json cells = Json::array();
    for (const auto& [name, cell] : row.cells()) cells.push_back({name, report::type_of(cell), report::value_of(cell)});
    out.push_back(std::move(cells));
  }
  return out;
}

void unpack_rows(const Json& in, report::Rows& rows) {
  for (const Json& cells : in) {
    report::Row& row = rows.rows.emplace_back();
    for (const Json& cell : cells)
      report::add_cell(row, cell.at(0).get<std::string>(), cell.at(1).get<std::string>(), cell.at(2));
  }
}

}  // namespace

std::string pack(const Outcome& outcome) {
  Json out;
  out["status"] = static_cast<int>(outcome.status);
  out["messages"] = outcome.messages;
  out["config_errors"] = Json::array();
  for (const config::Message& error : outcome.config_errors) out["config_errors"].push_back(pack_error(error));
  out["rows"] = pack_rows(outcome.rows);
  for (const report::Row& row : outcome.rows.rows)
    out["headlines"].push_back(Json::array({row.headline().column, row.headline().why}));
  out["accounts"] = report::rows_accounts_to_json(outcome.rows);
  out["counters"] = pack_rows(outcome.counters);
  out["rates"] = Json::array();
  for (const report::DerivedRate& rate : outcome.rows.rates)
    out["rates"].push_back(Json::array({rate.name, rate.bytes, rate.time}));
  out["ceilings"] = Json::array();
  for (const report::Ceiling& c : outcome.rows.ceilings)
    out["ceilings"].push_back(Json::array({c.method, c.name, c.rate.num(), c.rate.den(), c.burst.count(), c.back}));
  out["to_and_fro"] = outcome.rows.to_and_fro;
  out["incomplete"] = outcome.incomplete;
  out["findings"] = outcome.findings;
  out["report"] = outcome.report;
  out["wakeups"] = outcome.cost.wakeups;
  out["packet_hops"] = outcome.cost.packet_hops;
  out["simulated_fs"] = outcome.cost.simulated.fs();
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Outcome unpack(const std::string& text) {
  if (text.empty() || text.back() != '\n') throw std::runtime_error("the message is cut short");
  Outcome out;
  try {
    const Json in = Json::parse(text);
    out.status = static_cast<Status>(in.at("status").get<int>());
    out.messages = in.at("messages").get<std::vector<std::string>>();
    for (const Json& error : in.at("config_errors")) out.config_errors.push_back(unpack_error(error));
    unpack_rows(in.at("rows"), out.rows);
    report::rows_accounts_from_json(in.at("accounts"), out.rows);
    unpack_rows(in.at("counters"), out.counters);
    for (std::size_t i = 0; i < out.rows.rows.size(); ++i) {
      const Json& h = in.at("headlines").at(i);
      out.rows.rows[i].headline({h.at(0).get<std::string>(), h.at(1).get<std::string>()});
    }
    for (const Json& rate : in.at("rates"))
      out.rows.rates.push_back(
          {rate.at(0).get<std::string>(), rate.at(1).get<std::string>(), rate.at(2).get<std::string>()});
    for (const Json& c : in.at("ceilings"))
      out.rows.ceilings.push_back({c.at(0).get<std::string>(), c.at(1).get<std::string>(),
                                   Rate::bytes_in(c.at(3).get<std::int64_t>(), c.at(2).get<std::int64_t>()),
                                   Bytes(c.at(4).get<std::int64_t>()), c.at(5).get<bool>()});
    out.rows.to_and_fro = in.at("to_and_fro").get<bool>();
    out.incomplete = in.at("incomplete").get<bool>();
    out.report = in.at("report").get<std::string>();
    out.findings = in.at("findings").get<std::string>();
    out.cost.wakeups = in.at("wakeups").get<std::uint64_t>();
    out.cost.packet_hops = in.at("packet_hops").get<std::uint64_t>();
    out.cost.simulated = Time::from_fs(in.at("simulated_fs").get<std::int64_t>());
  } catch (const Json::exception& e) {
    throw std::runtime_error(std::string("the message is damaged: ") + e.what());
  }
  return out;
}

}  // namespace tsunagi::runner
