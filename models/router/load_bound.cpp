// SPDX-License-Identifier: Apache-2.0
#include "models/router/load_bound.hpp"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <limits>
#include <utility>

#include "topo/routes/loads.hpp"

namespace tsunagi::router {

std::optional<std::int64_t> load_bound(const topo::Network& network, const std::vector<PlacedRouter*>& routers,
                                       const comm::TrafficShares& shares, Rate full,
                                       const std::function<Rate(const net::WireSpec&)>& rate_of) {
  if (network.terminals() > 1024) return std::nullopt;
  const topo::Loads loads(network, shares.weight);
  const auto load = [&](std::int64_t passing, Rate rate) {  // a million x whole / passing x rate / full
    using Exact = boost::multiprecision::int256_t;          // of four factors of 63 bits at most
    const Exact bound =
        Exact(1'000'000) * shares.whole * full.num() * rate.den() / (Exact(passing) * full.den() * rate.num());
    return static_cast<std::int64_t>(std::min<Exact>(bound, std::numeric_limits<std::int64_t>::max()));
  };
  std::int64_t bound = load(std::max<std::int64_t>(loads.most_sent(), 1), full);
  std::vector<std::pair<Rate, std::int64_t>> fullest;  // of the wires of a rate, of which there are few, what passes it
  for (std::size_t r = 0; r < routers.size(); ++r)
    for (std::size_t p = 0; p < routers[r]->ports().size(); ++p) {
      const std::int64_t passing = loads.of(static_cast<int>(r), static_cast<int>(p));
      if (passing == 0) continue;
      const Rate rate = rate_of(routers[r]->ports()[p].channel().wire());
      auto same = std::find_if(fullest.begin(), fullest.end(), [&](const auto& f) { return f.first == rate; });
      if (same == fullest.end()) same = fullest.insert(same, {rate, 0});
      same->second = std::max(same->second, passing);
    }
  for (const auto& [rate, passing] : fullest) bound = std::min(bound, load(passing, rate));
  return bound;
}

}  // namespace tsunagi::router
