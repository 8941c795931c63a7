// SPDX-License-Identifier: Apache-2.0
#include "net/shared_slot.hpp"

#include <algorithm>
#include <utility>

namespace tsunagi::net {

void SharedSlot::share(Slot&& upstream, int copies, int packets) {
  upstream_ = std::move(upstream);
  copies_ = std::vector<Copy>(static_cast<std::size_t>(copies));
  for (Copy& c : copies_) c.whole = this;
  packets_.assign(static_cast<std::size_t>(packets), {copies, Time::zero()});
  gone_ = 0;
}

Slot SharedSlot::copy(int i) {
  return {copies_[static_cast<std::size_t>(i)], 0, {1, 0}, static_cast<int>(packets_.size())};
}

void SharedSlot::Copy::slot_released(flow::FlowClass, flow::Credits, Spans when, std::uint64_t packet) {
  for (const Span& s : when) {
    Packet& p = whole->packets_[left++];
    --p.copies;
    p.last = std::max(p.last, s.tail);
  }
  Schedule gone;
  for (auto i = static_cast<std::size_t>(whole->gone_); i < whole->packets_.size() && whole->packets_[i].copies == 0;
       ++i)
    gone.push_back({whole->packets_[i].last, whole->packets_[i].last});
  if (gone.size() == 0) return;
  whole->gone_ += static_cast<int>(gone.size());
  whole->upstream_.release(gone, packet);
}

SharedSlot& SharedSlots::share(Slot&& upstream, int copies, int packets) {
  const auto idle = std::find_if(all_.begin(), all_.end(), [](const auto& s) { return s->empty(); });
  SharedSlot& s = idle != all_.end() ? **idle : *all_.emplace_back(std::make_unique<SharedSlot>(agenda_));
  s.share(std::move(upstream), copies, packets);
  return s;
}

bool SharedSlots::empty() const {
  return std::all_of(all_.begin(), all_.end(), [](const auto& s) { return s->empty(); });
}

}  // namespace tsunagi::net
