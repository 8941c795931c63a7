// SPDX-License-Identifier: Apache-2.0
// What a plan's cells are called, and what they need.
#include <set>

#include "box/plan.hpp"
#include "units/parse.hpp"

namespace tsunagi::box {

const char* name_of(What w) {
  switch (w) {
    case What::one_way:
      return "one_way";
    case What::read:
      return "read";
    case What::both_ways:
      return "both_ways";
    case What::at_once:
      return "all_at_once";
    case What::latency:
      return "latency";
  }
  return "";
}

std::vector<std::size_t> places_of(const Plan& plan, What what) {
  std::set<std::size_t> out;
  for (const Cell& c : plan.cells)
    if (c.what == what) out.insert({c.from, c.to});
  return {out.begin(), out.end()};
}

std::vector<std::size_t> needed_runs(const Plan& plan) {
  std::set<std::size_t> out;
  for (const Cell& c : plan.cells)
    if (c.reading && !c.alike) out.insert(c.reading->run);
  return {out.begin(), out.end()};
}

double bytes_moved(const Run& run) {
  const auto& s = run.scenario;
  double sizes = 0;
  for (const auto& size : s.value("sizes", nlohmann::ordered_json::array()))
    sizes += static_cast<double>(parse_bytes(size.get<std::string>()).count());
  const double pairs = s.contains("copies") ? static_cast<double>(s.at("copies").size()) : 1;
  return sizes * pairs * s.value("queued", 1.0) * s.value("iterations", 1.0) * s.value("transactions", 1.0);
}

}  // namespace tsunagi::box
