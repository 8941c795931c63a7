// SPDX-License-Identifier: Apache-2.0
#include "models/router/router.hpp"

#include <algorithm>
#include <utility>

namespace tsunagi::router {

void Router::wired() {
  GridRouter::wired();
  for (const net::Port& p : ports()) least_latency_ = std::min(least_latency_, p.least_latency());
}

void Router::receive(int in, net::Delivery d) {
  Header& h = d.packet->header<Header>();
  const Hop hop = routing().next(place(), h);
  h.vc = hop.vc;  // the buffer held upstream knows its own virtual channel
  ++h.hops;
  port(hop.port).send(in, std::move(d));
}

}  // namespace tsunagi::router
