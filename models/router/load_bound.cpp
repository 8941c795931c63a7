// SPDX-License-Identifier: Apache-2.0
#include "models/router/load_bound.hpp"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "topo/routes/cuts.hpp"
#include "topo/routes/loads.hpp"

namespace tsunagi::router {

namespace {

using Exact = boost::multiprecision::int256_t;  // of four factors of 63 bits at most

/// A million x whole / passing x rate / full.
struct Bound {
  std::int64_t whole;
  Rate full;
  std::int64_t load(std::int64_t passing, const Exact& rate_den, const Exact& rate_num) const {
    const Exact bound = Exact(1'000'000) * whole * full.num() * rate_den / (Exact(passing) * full.den() * rate_num);
    return static_cast<std::int64_t>(std::min<Exact>(bound, std::numeric_limits<std::int64_t>::max()));
  }
  std::int64_t load(std::int64_t passing, Rate rate) const { return load(passing, rate.den(), rate.num()); }
};

/// Of the fullest wire on the routes.
std::int64_t on_routes(const topo::Loads& loads, const std::vector<PlacedRouter*>& routers, const Bound& bound,
                       const RateOf& rate_of) {
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
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const auto& [rate, passing] : fullest) least = std::min(least, bound.load(passing, rate));
  return least;
}

/// Of wires to terminals, of what has to leave or enter a run of routers on any routes, and of what these leave no
/// other way.
std::int64_t on_any_routes(const topo::Network& network, const std::vector<PlacedRouter*>& routers,
                           const topo::Weight& weight, const Bound& bound, const RateOf& rate_of) {
  const auto rate = [&](int r, int p) {
    return rate_of(routers[static_cast<std::size_t>(r)]->ports()[static_cast<std::size_t>(p)].channel().wire());
  };
  // Bytes a second, rounded up: a cut may look wider than it is, by less than a part in a million.
  const auto bytes = [&](int r, int p) { return static_cast<std::int64_t>(std::ceil(rate(r, p).bytes_per_second())); };
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int to = 0; to < network.terminals(); ++to) {
    std::int64_t received = 0;
    for (int from = 0; from < network.terminals(); ++from) received += weight(from, to);
    const topo::RouterPort at = network.attachment(to);
    if (received > 0) least = std::min(least, bound.load(received, rate(at.router, at.port)));
  }
  const auto hold = [&](const topo::Cut& cut) {
    least = std::min(least, bound.load(cut.passing, Exact(cut.capacity), Exact(1'000'000'000'000'000)));
  };
  topo::for_cuts(network, weight, bytes, hold);
  network.routes().adaptive()->for_own_cuts(weight, bytes, hold);
  return least;
}

}  // namespace

std::optional<std::int64_t> load_bound(const topo::Network& network, const std::vector<PlacedRouter*>& routers,
                                       const comm::TrafficShares& shares, Rate full, const RateOf& rate_of) {
  constexpr int most = 1024;
  if (network.terminals() > most) return std::nullopt;
  const Bound bound{shares.whole, full};
  if (network.routes().adaptive() == nullptr) {
    const topo::Loads loads(network, shares.weight);
    return std::min(bound.load(std::max<std::int64_t>(loads.most_sent(), 1), full),
                    on_routes(loads, routers, bound, rate_of));
  }
  if (network.routers() > most) return std::nullopt;
  std::int64_t most_sent = 1;
  for (int from = 0; from < network.terminals(); ++from) {
    std::int64_t sent = 0;
    for (int to = 0; to < network.terminals(); ++to) sent += shares.weight(from, to);
    most_sent = std::max(most_sent, sent);
  }
  return std::min(bound.load(most_sent, full), on_any_routes(network, routers, shares.weight, bound, rate_of));
}

}  // namespace tsunagi::router
