// SPDX-License-Identifier: Apache-2.0
#include "net/refusal.hpp"

#include <utility>

namespace tsunagi::net {

void refuse(Device& at, Delivery d, const Refusal& how, const std::string& why) {
  for (std::int32_t i = 0; i < d.packet->count; ++i) at.simulation().complain(at.name() + ": " + why);
  d.slot.release(d.schedule);
  d.slot = {};
  if (how.answer == nullptr) return;
  how.answer(*d.packet);
  const Time arrived = d.schedule.front().tail;
  at.tell(d.packet->id, 0, Stage::pipeline, how.what, arrived, arrived + how.latency);
  for (Span& s : d.schedule) s.head = s.tail = s.tail + how.latency;
  at.ports()[static_cast<std::size_t>(how.port)].send(how.source, std::move(d));
}

}  // namespace tsunagi::net
