// SPDX-License-Identifier: Apache-2.0
#include "models/peach2/chip_reads.hpp"

#include <algorithm>

#include "models/pcie/completer.hpp"

namespace tsunagi::peach2 {

void ChipReads::read(net::Delivery request, int cycles, Bytes largest) {
  const flow::Packet& p = *request.packet;
  const Time arrived = request.schedule.back().tail;
  const Time found = shape_.clock.after(arrived, cycles);
  request.slot.release(net::Schedule::at(found));
  Time at = std::max(free_, found);
  pcie::cut_completions(pool_, p, 0, largest, shape_.max_train, [&](flow::PacketPtr c) {
    net::Delivery d{std::move(c), {}, {}};
    for (std::int32_t i = 0; i < d.packet->count; ++i) {
      at = shape_.clock.after(at, units_of(d.packet->payload, shape_.width));
      d.schedule.push_back({at, at});
    }
    chip_.tell(d.packet->id, p.id, net::Stage::memory, shape_.what, arrived, d.schedule.front().tail);
    const bool first = d.packet->address == p.address;
    waiting_.push_back({std::move(d), first});
  });
  free_ = at;
  if (!ready_.armed()) chip_.simulation().agenda().arm(ready_, next());
}

void ChipReads::hand_on() {
  if (waiting_.front().first) {
    fill_(*waiting_.front().delivery.packet);
    for (std::size_t i = 1; i < waiting_.size() && !waiting_[i].first; ++i) fill_(*waiting_[i].delivery.packet);
  }
  net::Delivery d = std::move(waiting_.take_front().delivery);
  if (!waiting_.empty()) chip_.simulation().agenda().arm(ready_, next());
  sink_(std::move(d));
}

}  // namespace tsunagi::peach2
