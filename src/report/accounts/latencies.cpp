// SPDX-License-Identifier: Apache-2.0
#include "report/accounts/latencies.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "stats/samples.hpp"

namespace tsunagi::report {
namespace {

using Json = nlohmann::ordered_json;

/// 0, 1, 2, 5, 10, 20, 50 ... femtoseconds; the last is the largest time.
const std::vector<Time>& bounds() {
  static const std::vector<Time> all = [] {
    std::vector<Time> out{Time::zero()};
    for (std::int64_t ten = 1;; ten *= 10) {
      for (const std::int64_t times : {1, 2, 5}) out.push_back(Time::from_fs(times * ten));
      if (ten > Time::max().fs() / 10) break;  // 5 x 10^18 fs is the last of them that a time holds
    }
    out.push_back(Time::max());
    return out;
  }();
  return all;
}

std::string key(const LatencyAccount::Quantile& q) { return std::string(q.name) + "_fs"; }

}  // namespace

const std::vector<LatencyAccount::Quantile>& LatencyAccount::quantiles() {
  static const std::vector<Quantile> all = {{"min", 0},    {"p50", 5000},   {"p90", 9000},    {"p95", 9500},
                                            {"p99", 9900}, {"p99.9", 9990}, {"p99.99", 9999}, {"max", 10000}};
  return all;
}

const Time* LatencyAccount::find(std::string_view quantile) const {
  for (std::size_t i = 0; i < times.size(); ++i)
    if (quantile == quantiles()[i].name) return &times[i];
  return nullptr;
}

LatencyAccount latency_account(const std::vector<Time>& sorted) {
  LatencyAccount out;
  out.messages = static_cast<std::int64_t>(sorted.size());
  for (const LatencyAccount::Quantile& q : LatencyAccount::quantiles())
    out.times.push_back(stats::quantile(sorted, q.ten_thousandths, 10'000));
  auto at = sorted.begin();
  for (std::size_t b = 0; at != sorted.end() && b + 1 < bounds().size(); ++b) {
    const bool last = b + 2 == bounds().size();
    const auto end = last ? sorted.end() : std::lower_bound(at, sorted.end(), bounds()[b + 1]);
    if (end != at || !out.bins.empty()) out.bins.push_back({bounds()[b], bounds()[b + 1], end - at});
    at = end;
  }
  return out;
}

Json latencies_to_json(const LatencyAccount& l) {
  Json out;
  out["messages"] = l.messages;
  for (std::size_t i = 0; i < l.times.size(); ++i) out[key(LatencyAccount::quantiles()[i])] = l.times[i].fs();
  Json& bins = out["histogram"] = Json::array();
  for (const LatencyAccount::Bin& b : l.bins)
    bins.push_back({{"from_fs", b.from.fs()}, {"to_fs", b.to.fs()}, {"messages", b.messages}});
  return out;
}

LatencyAccount latencies_from_json(const Json& in) {
  LatencyAccount out;
  out.messages = in.at("messages").get<std::int64_t>();
  for (const LatencyAccount::Quantile& q : LatencyAccount::quantiles())
    out.times.push_back(Time::from_fs(in.at(key(q)).get<std::int64_t>()));
  for (const Json& b : in.at("histogram"))
    out.bins.push_back({Time::from_fs(b.at("from_fs").get<std::int64_t>()),
                        Time::from_fs(b.at("to_fs").get<std::int64_t>()), b.at("messages").get<std::int64_t>()});
  return out;
}

}  // namespace tsunagi::report
