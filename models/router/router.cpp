// SPDX-License-Identifier: Apache-2.0
#include "models/router/router.hpp"

#include <algorithm>
#include <utility>

#include "net/cut_through.hpp"

namespace tsunagi::router {

void Router::wired() {
  PlacedRouter::wired();
  for (const net::Port& p : ports()) least_latency_ = std::min(least_latency_, p.least_latency());
}

void Router::send(int in, int source, int out, net::Delivery d) {
  const Rate comes = port(in).incoming().wire().rate;
  if (comes < port(out).channel().wire().rate) net::await_tail(*this, port(out), d);
  port(out).send(source, std::move(d));
}

void Router::receive(int in, net::Delivery d) {
  Header& h = d.packet->header<Header>();
  if (routing().replicates(place(), h)) return replicate(in, std::move(d));
  const Hop hop = routing().next(place(), h);
  const int source = source_of(in, h.vc);
  h.vc = hop.vc;  // the buffer held upstream knows its own virtual channel
  send(in, source, hop.port, std::move(d));
}

void Router::replicate(int in, net::Delivery d) {
  const Header h = d.packet->header<Header>();
  net::SharedSlot& shared = shared_.share(std::move(d.slot), h.copies, d.packet->count);
  count_copies(std::int64_t{h.copies - 1} * d.packet->count);
  for (int i = h.copies - 1; i >= 0; --i) {
    net::Delivery copy;
    copy.packet = i > 0 ? pool().clone(*d.packet) : std::move(d.packet);
    for (const net::Span& s : d.schedule) copy.schedule.push_back(s);
    copy.slot = shared.copy(i);
    const Hop hop = make_copy(copy.packet->header<Header>(), h, i);
    send(in, source_of(in, h.vc), hop.port, std::move(copy));
  }
}

std::string Router::leftover() const {
  return shared_.empty() ? PlacedRouter::leftover() : "copies of a packet have not left";
}

}  // namespace tsunagi::router
