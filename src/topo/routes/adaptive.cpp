// SPDX-License-Identifier: Apache-2.0
#include "topo/routes/adaptive.hpp"

namespace tsunagi::topo {

Hop AdaptiveRoutes::pass(int router, Trip& trip) const {
  Ways all;
  ways(router, trip, Draws::own, all);
  const Way& way = least_costly(all, [](int) { return std::int64_t{0}; });
  trip.via = way.via;
  return way.hop;
}

Hop AdaptiveRoutes::next(int router, const Trip& trip) const {
  Trip here = trip;
  return pass(router, here);
}

}  // namespace tsunagi::topo
