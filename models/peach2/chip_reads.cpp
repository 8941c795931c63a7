// SPDX-License-Identifier: Apache-2.0
#include "models/peach2/chip_reads.hpp"

#include <algorithm>

#include "models/pcie/segmentation.hpp"
#include "models/pcie/tlp.hpp"

namespace tsunagi::peach2 {

void ChipReads::read(net::Delivery request, int cycles, Bytes largest) {
  const flow::Packet& p = *request.packet;
  const Time arrived = request.schedule.back().tail;
  const Time found = shape_.clock.after(arrived, cycles);
  request.slot.release(net::Schedule::at(found));
  Time at = std::max(free_, found);
  Bytes left(p.header<pcie::Tlp>().length);
  for (std::uint64_t address = p.address; left > Bytes::zero();) {
    const auto [piece, alike] = pcie::next_completions(largest, address, left, shape_.max_train);
    net::Delivery d;
    d.packet = pool_.clone(p);
    d.packet->header<pcie::Tlp>().type = pcie::TlpType::completion_with_data;
    d.packet->address = d.packet->origin_offset = address;
    d.packet->set_train(static_cast<std::int32_t>(alike), piece, piece);
    for (std::int64_t i = 0; i < alike; ++i) {
      at = shape_.clock.after(at, units_of(piece, shape_.width));
      d.schedule.push_back({at, at});
    }
    chip_.tell(d.packet->id, p.id, net::Stage::memory, shape_.what, arrived, d.schedule.front().tail);
    waiting_.push_back({std::move(d), address == p.address});
    address += static_cast<std::uint64_t>((piece * alike).count());
    left -= piece * alike;
  }
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
