// SPDX-License-Identifier: Apache-2.0
#include "models/router/deadlock.hpp"

#include <algorithm>

#include "topo/routes/verify.hpp"

namespace tsunagi::router {

std::string deadlock_advice(const std::vector<PlacedRouter*>& routers) {
  if (routers.empty()) return {};
  const topo::Network& network = routers.front()->routing().network();
  const bool classes =
      std::all_of(routers.begin(), routers.end(), [](const PlacedRouter* r) { return r->routing().keeps_classes(); });
  const std::vector<topo::RouterPort> circle = topo::verify(network, classes).circle;
  if (circle.empty()) return {};
  const bool classes_help = !classes && topo::verify(network).circle.empty();
  return "packets can wait for each other in a circle of links: " + topo::circle_text(network, circle) +
         " (`tsunagi draw --show circle` draws it); " +
         (classes_help ? "\"deadlock_free\": true at the routers avoids it" : "routes of kind \"up_down\" have none");
}

}  // namespace tsunagi::router
