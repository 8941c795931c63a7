// SPDX-License-Identifier: Apache-2.0
#include "models/router/router.hpp"

#include <algorithm>
#include <utility>

#include "net/cut_through.hpp"

namespace tsunagi::router {

void Router::wired() {
  PlacedRouter::wired();
  for (const net::Port& p : ports()) least_latency_ = std::min(least_latency_, p.least_latency());
  Rate slowest_in = Rate::infinite(), fastest_out = Rate::bytes_per_second(1);
  for (const net::Port& p : ports()) {
    if (!p.connected()) continue;
    slowest_in = std::min(slowest_in, p.incoming().wire().rate);
    fastest_out = std::max(fastest_out, p.channel().wire().rate);
  }
  some_are_faster_ = slowest_in < fastest_out;
}

void Router::hold_back(int in, int out, net::Delivery& d) {
  if (port(in).incoming().wire().rate < port(out).channel().wire().rate) net::await_tail(*this, port(out), d);
}

void Router::receive(int in, net::Delivery&& d) {
  const Header& h = d.packet->header<Header>();
  if (routing().replicates(place(), h)) return replicate(in, std::move(d));
  const int source = source_of(in, h.vc);
  const Hop hop = route(*d.packet);
  pass(in, source, hop, std::move(d));
}

void Router::pass(int in, int source, Hop hop, net::Delivery&& d) {
  d.packet->header<Header>().vc = hop.vc;  // the buffer held upstream knows its own virtual channel
  if (some_are_faster_) hold_back(in, hop.port, d);
  port(hop.port).send(source, std::move(d));
}

void Router::replicate(int in, net::Delivery&& d) {
  const Header h = d.packet->header<Header>();
  net::SharedSlot& shared = shared_.share(std::move(d.slot), h.copies, d.packet->count);
  count_copies(std::int64_t{h.copies - 1} * d.packet->count);
  for (int i = h.copies - 1; i >= 0; --i) {
    net::Delivery copy;
    copy.packet = i > 0 ? pool().clone(*d.packet) : std::move(d.packet);
    for (const net::Span& s : d.schedule) copy.schedule.push_back(s);
    copy.slot = shared.copy(i);
    const Hop hop = make_copy(copy.packet->header<Header>(), h, i);
    pass(in, source_of(in, h.vc), hop, std::move(copy));
  }
}

std::string Router::leftover() const {
  return shared_.empty() ? PlacedRouter::leftover() : "copies of a packet have not left";
}

}  // namespace tsunagi::router
