// SPDX-License-Identifier: Apache-2.0
#include "net/slot.hpp"

namespace tsunagi::net {

void Slot::release_now() {
  Schedule when;
  for (int i = 0; i < count_; ++i) when.push_back({owner_->slot_now(), owner_->slot_now()});
  release_held(when, 0);
}

void Slot::release_held(Spans when, std::uint64_t packet) {
  SlotOwner* owner = owner_;
  const int n = static_cast<int>(when.size());
  const bool all = n >= count_;
  count_ -= n;
  if (all) owner_ = nullptr;
  if (!all || last_ == per_packet_) return owner->slot_released(class_, per_packet_, when, packet);
  if (n > 1) owner->slot_released(class_, per_packet_, when.first(when.size() - 1), packet);
  owner->slot_released(class_, last_, {&when.back(), 1}, packet);
}

Delivery split_front(Delivery& train, std::int32_t n) {
  Delivery front;
  front.packet = flow::PacketPool::split_front(*train.packet, n);
  for (std::int32_t i = 0; i < n; ++i) front.schedule.push_back(train.schedule[static_cast<std::size_t>(i)]);
  train.schedule.drop_front(static_cast<std::size_t>(n));
  front.slot = train.slot.split_front(n);
  return front;
}

}  // namespace tsunagi::net
