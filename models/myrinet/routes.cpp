// SPDX-License-Identifier: Apache-2.0
#include "models/myrinet/routes.hpp"

#include <fmt/format.h>

#include "config/error_at.hpp"
#include "topo/routes/adaptive.hpp"

namespace tsunagi::myrinet {

namespace {

int hops(const topo::Network& network, int from, int to) {
  int n = 0;
  network.walk(from, to, [&n](int, const topo::Hop&) { ++n; });
  return n;
}

}  // namespace

SourceRoute source_route(const topo::Network& network, int from, int to) {
  SourceRoute out;
  network.walk(from, to, [&out](int, const topo::Hop& hop) { out.add(hop.port); });
  return out;
}

void check_routes(const topo::Network& network, int terminal, int most, const std::string& name) {
  const topo::Routes& routes = network.routes();
  if (routes.adaptive() != nullptr)
    throw config::error_at("/machine", name +
                                           ": a Myrinet packet brings its route along, so nothing on its way can "
                                           "choose; take routes of one way a pair (\"up_down\", \"d_mod_k\")");
  if (routes.classes() > 1)
    throw config::error_at("/machine", fmt::format("{}: the network's routes need {} classes of virtual channels to "
                                                   "be free of deadlock, and Myrinet has none; take routes of kind "
                                                   "\"up_down\"",
                                                   name, routes.classes()));
  for (int to = 0; to < network.terminals(); ++to)
    if (const int n = hops(network, terminal, to); n > most)
      throw config::error_at("/machine", fmt::format("{}: the route to terminal {} has {} bytes, one a crossbar, but a "
                                                     "packet carries {} at most (\"max_route\" of the wire)",
                                                     name, to, n, most));
}

}  // namespace tsunagi::myrinet
