// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "topo/network.hpp"
#include "topo/routes/cuts.hpp"

namespace tsunagi::topo {

/// A way on that a packet may take from a router.
struct Way {
  Hop hop;
  /// What the packet carries on from here, in place of its trip's `via`.
  std::uint32_t via = 0;
  /// Routers' outputs to the end, this one and the terminal's included.
  int hops = 1;
  /// Added to what it costs, in flits x hops: detours are not taken for a queue that is hardly any.
  std::int64_t bias = 0;
};
using Ways = std::vector<Way>;

/// Routes that leave routers a choice, by what waits at their outputs, or that draw a way for each packet. A packet
/// that has chosen an output waits for it.
class AdaptiveRoutes : public Routes {
 public:
  /// Whose ways are asked for.
  enum class Draws : std::uint8_t {
    own,  ///< of the packet, as its trip's `mix` draws them
    all,  ///< that any packet of the pair can have drawn: for who checks them
  };
  /// Puts into `out`, empty, the ways on from `router`, in the order of preference: of those that cost the same, the
  /// first is taken. One at least.
  virtual void ways(int router, const Trip& trip, Draws draws, Ways& out) const = 0;
  /// Sets of cables of which what passes has to take one, because these routes leave it no other, beyond those that
  /// hold whatever the routes are (topo::for_cuts): none, unless said. Arguments as there.
  virtual void for_own_cuts(const Weight& /*weight*/, const std::function<std::int64_t(int, int)>& /*capacity*/,
                            const std::function<void(const Cut&)>& /*visit*/) const {}
  /// Both where nothing waits anywhere.
  Hop next(int router, const Trip& trip) const final;
  Hop pass(int router, Trip& trip) const final;
  const AdaptiveRoutes* adaptive() const final { return this; }
};

/// The least costly of `ways`, where `backlog(port)` flits wait for an output or have not left the buffer behind it:
/// flits x hops to the end, the estimate of UGAL (Singh, "Load-Balanced Routing in Interconnection Networks", PhD
/// thesis, Stanford 2005, chapter 5).
template <class Backlog>
const Way& least_costly(const Ways& ways, Backlog&& backlog) {
  if (ways.size() == 1) return ways.front();
  const auto cost = [&](const Way& w) { return backlog(w.hop.port) * w.hops + w.bias; };
  std::size_t best = 0;
  std::int64_t least = cost(ways.front());
  for (std::size_t i = 1; i < ways.size(); ++i)
    if (const std::int64_t c = cost(ways[i]); c < least) {
      least = c;
      best = i;
    }
  return ways[best];
}

}  // namespace tsunagi::topo
