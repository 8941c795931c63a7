// SPDX-License-Identifier: Apache-2.0
#include "net/cut_through.hpp"

#include <algorithm>

namespace tsunagi::net {

void await_tail(const Device& at, const Port& out, Delivery& d) {
  const flow::Packet& p = *d.packet;
  const WireSpec& wire = out.channel().wire();
  for (std::int32_t i = 0; i < p.count; ++i) {
    Span& s = d.schedule[static_cast<std::size_t>(i)];
    const Time head = std::max(s.head, s.tail - wire.rate.time(wire.framing->size(p, p.payload_of(i)).total()));
    if (i == 0) at.tell(p.id, 0, Stage::buffer, "until the faster wire does not run dry", s.head, head);
    s.head = head;
  }
}

}  // namespace tsunagi::net
