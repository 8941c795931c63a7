// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "box/text.hpp"

namespace tsunagi::box {
namespace {

using Json = nlohmann::ordered_json;

const char* kind_name(Place::Kind k) {
  switch (k) {
    case Place::Kind::memory:
      return "memory";
    case Place::Kind::gpu:
      return "gpu";
    case Place::Kind::card:
      return "card";
    case Place::Kind::adapter:
      return "adapter";
  }
  return "";
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

const Comparison* of_cell(const std::vector<Comparison>& compared, std::size_t cell) {
  const auto at = std::find_if(compared.begin(), compared.end(), [&](const Comparison& c) { return c.cell == cell; });
  return at == compared.end() ? nullptr : &*at;
}

std::string causes_text(const Comparison& c) {
  std::string out;
  for (const Tried& t : c.tried)
    if (t.explains) out += (out.empty() ? "" : "; ") + t.cause.name;
  return out;
}

std::string plain(double value) { return fmt::format("{:.10g}", value); }

Json cell_json(const Matrix& m, std::size_t i) {
  const Cell& c = m.plan.cells[i];
  const Value& v = m.values[i];
  const auto& places = m.plan.server.places;
  Json out{{"from", places[c.from].name},
           {"to", places[c.to].name},
           {"what", name_of(c.what)},
           {"socket", c.near ? "near" : "far"}};
  out["value"] = v.value ? Json(*v.value) : Json();
  out["unit"] = is_rate(c.what) ? "B/s" : "s";
  if (!c.how.empty()) out["how"] = c.how;
  if (v.value && is_rate(c.what)) out["limit"] = {{"kind", v.limit.kind}, {"where", v.limit.where}};
  if (v.interval)
    out["interval"] = {
        {"low", v.interval->low}, {"high", v.interval->high}, {"moved_most_by", v.interval->moved_most_by}};
  if (!v.value) out["not_simulated"] = v.why_not;
  return out;
}

}  // namespace

std::string csv(const Matrix& m, const std::vector<Comparison>& compared) {
  std::string out = "from,to,what,socket,value,unit,low,high,limit,where,how,not_simulated";
  out += compared.empty() ? "\n" : ",measured,verdict,causes\n";
  const auto& places = m.plan.server.places;
  for (std::size_t i = 0; i < m.values.size(); ++i) {
    const Cell& c = m.plan.cells[i];
    const Value& v = m.values[i];
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}", quoted(places[c.from].name), quoted(places[c.to].name),
                       name_of(c.what), c.near ? "near" : "far", v.value ? plain(*v.value) : "",
                       is_rate(c.what) ? "B/s" : "s", v.interval ? plain(v.interval->low) : "",
                       v.interval ? plain(v.interval->high) : "", quoted(v.limit.kind), quoted(v.limit.where),
                       quoted(c.how), quoted(v.value ? "" : v.why_not));
    if (const Comparison* k = of_cell(compared, i))
      out += fmt::format(",{},{},{}", plain(k->measured.value), name_of(k->verdict), quoted(causes_text(*k)));
    else if (!compared.empty())
      out += ",,,";
    out += "\n";
  }
  return out;
}

Json to_json(const Matrix& m, const std::vector<Comparison>& compared) {
  Json out{{"node", m.plan.server.node},   {"simulations", needed_runs(m.plan).size()},
           {"packet_hops", m.packet_hops}, {"wakeups", m.wakeups},
           {"places", Json::array()},      {"cells", Json::array()}};
  for (const Place& p : m.plan.server.places)
    out["places"].push_back({{"name", p.name}, {"device", p.device}, {"kind", kind_name(p.kind)}});
  for (std::size_t i = 0; i < m.values.size(); ++i) out["cells"].push_back(cell_json(m, i));
  if (compared.empty()) return out;
  out["compared"] = Json::array();
  for (const Comparison& c : compared) {
    Json one = cell_json(m, c.cell);
    one["measured"] = c.measured.value;
    one["line"] = c.measured.line;
    one["verdict"] = name_of(c.verdict);
    one["causes"] = Json::array();
    for (const Tried& t : c.tried) {
      Json cause{{"cause", t.cause.name}, {"check", t.cause.check}, {"explains", t.explains}};
      cause["value"] = t.value ? Json(*t.value) : Json();
      if (!t.value) cause["not_simulated"] = t.why_not;
      one["causes"].push_back(std::move(cause));
    }
    out["compared"].push_back(std::move(one));
  }
  return out;
}

}  // namespace tsunagi::box
