// SPDX-License-Identifier: Apache-2.0
#include "models/pcie/refusal.hpp"

#include <stdexcept>
#include <utility>

namespace tsunagi::pcie {

void refuse(net::Device& at, int port, int source, net::Delivery d, Time latency, const std::string& why) {
  for (std::int32_t i = 0; i < d.packet->count; ++i) at.simulation().complain(at.name() + ": " + why);
  d.slot.release(d.schedule);
  d.slot = {};
  if (is_write(*d.packet)) return;
  set_failed(*d.packet, CompletionStatus::unsupported_request);
  const Time arrived = d.schedule.front().tail;
  at.tell(d.packet->id, 0, net::Stage::pipeline, "unsupported request", arrived, arrived + latency);
  for (net::Span& s : d.schedule) s.head = s.tail = s.tail + latency;
  at.ports()[static_cast<std::size_t>(port)].send(source, std::move(d));
}

void require_success(const net::Device& device, const flow::Packet& p) {
  switch (p.header<Tlp>().status) {
    case CompletionStatus::successful:
      return;
    case CompletionStatus::unsupported_request:
      throw std::runtime_error(device.name() + ": nobody answered its read (unsupported request)");
    case CompletionStatus::completer_abort:
      throw std::runtime_error(device.name() + ": its read failed where it came to (completer abort)");
  }
}

}  // namespace tsunagi::pcie
