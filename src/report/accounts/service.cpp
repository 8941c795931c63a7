// SPDX-License-Identifier: Apache-2.0
#include "report/accounts/service.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "stats/evenness.hpp"
#include "units/wide.hpp"

namespace tsunagi::report {
namespace {

using Json = nlohmann::ordered_json;

Json of_rank_to_json(const ServiceAccount::OfRank& r) { return {{"rank", r.rank}, {"bytes", r.bytes.count()}}; }

/// Bytes over what is offered, in parts of a billion of the largest: a few bytes are not rounded to whole ones.
std::vector<std::int64_t> rates_of(const std::vector<Served>& ranks) {
  constexpr std::int64_t whole = 1'000'000'000;
  const auto above = [](const Served& a, const Served& b) { return static_cast<Wide>(a.bytes.count()) * b.share; };
  const Served& most = *std::max_element(ranks.begin(), ranks.end(),
                                         [&](const Served& a, const Served& b) { return above(a, b) < above(b, a); });
  std::vector<std::int64_t> out;
  for (const Served& r : ranks)
    out.push_back(most.bytes == Bytes::zero() ? 0 : static_cast<std::int64_t>(above(r, most) * whole / above(most, r)));
  return out;
}

ServiceAccount::OfRank of_rank_from_json(const Json& in) {
  return {in.at("rank").get<int>(), Bytes(in.at("bytes").get<std::int64_t>())};
}

}  // namespace

ServiceAccount service_account(const std::vector<Served>& ranks) {
  ServiceAccount out;
  out.senders = static_cast<std::int64_t>(ranks.size());
  out.least = out.most = {ranks.front().rank, ranks.front().bytes};
  Wide sum = 0;
  for (const Served& r : ranks) {
    sum += r.bytes.count();
    if (r.bytes < out.least.bytes) out.least = {r.rank, r.bytes};
    if (r.bytes > out.most.bytes) out.most = {r.rank, r.bytes};
  }
  out.mean = Bytes(static_cast<std::int64_t>(sum / out.senders));
  out.jain_ppm = stats::jain_ppm(rates_of(ranks));
  return out;
}

Json service_to_json(const ServiceAccount& s) {
  return {{"senders", s.senders},
          {"least", of_rank_to_json(s.least)},
          {"mean_bytes", s.mean.count()},
          {"most", of_rank_to_json(s.most)},
          {"jain_ppm", s.jain_ppm}};
}

ServiceAccount service_from_json(const Json& in) {
  ServiceAccount out;
  out.senders = in.at("senders").get<std::int64_t>();
  out.least = of_rank_from_json(in.at("least"));
  out.most = of_rank_from_json(in.at("most"));
  out.mean = Bytes(in.at("mean_bytes").get<std::int64_t>());
  out.jain_ppm = in.at("jain_ppm").get<std::int64_t>();
  return out;
}

}  // namespace tsunagi::report
