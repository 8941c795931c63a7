// SPDX-License-Identifier: Apache-2.0
#include "report/accounts/wire_use.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "units/wide.hpp"

namespace tsunagi::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t whole = 1'000'000;

std::int64_t share(Wide some, Wide of) { return static_cast<std::int64_t>(some * whole / of); }

}  // namespace

std::int64_t WireAccount::ppm(Time busy) const { return share(busy.fs(), window.fs()); }

WireAccount wire_account(Time window, const std::vector<Time>& busy,
                         const std::function<std::pair<std::string, std::string>(std::size_t)>& ends) {
  WireAccount out;
  out.window = window;
  out.directions = static_cast<std::int64_t>(busy.size());
  Wide sum = 0;
  for (const Time t : busy) {
    sum += t.fs();
    out.idle += t == Time::zero() ? 1 : 0;
  }
  if (busy.empty()) return out;
  out.mean_ppm = share(sum, static_cast<Wide>(window.fs()) * out.directions);
  std::vector<std::size_t> order(busy.size());
  std::iota(order.begin(), order.end(), 0);
  const std::size_t named =
      std::min({WireAccount::most_named, busy.size(), static_cast<std::size_t>(out.directions - out.idle)});
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(named), order.end(),
                    [&](std::size_t a, std::size_t b) { return busy[a] != busy[b] ? busy[a] > busy[b] : a < b; });
  for (std::size_t i = 0; i < named; ++i) {
    const auto [from, to] = ends(order[i]);
    out.busiest.push_back({from, to, busy[order[i]]});
  }
  return out;
}

Json wires_to_json(const WireAccount& w) {
  Json busiest = Json::array();
  for (const WireUse& u : w.busiest)
    busiest.push_back({{"from", u.from}, {"to", u.to}, {"busy_fs", u.busy.fs()}, {"use_ppm", w.ppm(u.busy)}});
  return {{"window_fs", w.window.fs()}, {"directions", w.directions}, {"idle", w.idle},
          {"mean_ppm", w.mean_ppm},     {"max_ppm", w.most_ppm()},    {"busiest", std::move(busiest)}};
}

WireAccount wires_from_json(const Json& in) {
  WireAccount out;
  out.window = Time::from_fs(in.at("window_fs").get<std::int64_t>());
  out.directions = in.at("directions").get<std::int64_t>();
  out.idle = in.at("idle").get<std::int64_t>();
  out.mean_ppm = in.at("mean_ppm").get<std::int64_t>();
  for (const Json& u : in.at("busiest"))
    out.busiest.push_back({u.at("from").get<std::string>(), u.at("to").get<std::string>(),
                           Time::from_fs(u.at("busy_fs").get<std::int64_t>())});
  return out;
}

}  // namespace tsunagi::report
