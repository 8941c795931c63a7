// SPDX-License-Identifier: Apache-2.0
#include "net/slot.hpp"

namespace tsunagi::net {

void Slot::release_now() {
  Schedule when;
  for (int i = 0; i < count_; ++i) when.push_back({owner_->slot_now(), owner_->slot_now()});
  release_held(when, 0);
}

void Slot::release_held(const Schedule& when, std::uint64_t packet) {
  SlotOwner* owner = owner_;
  const int n = static_cast<int>(when.size());
  const bool all = n >= count_;
  count_ -= n;
  if (all) owner_ = nullptr;
  if (!all || last_ == per_packet_) return owner->slot_released(class_, per_packet_, when, packet);
  Schedule front;
  for (int i = 0; i + 1 < n; ++i) front.push_back(when[static_cast<std::size_t>(i)]);
  if (n > 1) owner->slot_released(class_, per_packet_, front, packet);
  owner->slot_released(class_, last_, Schedule(when.back()), packet);
}

}  // namespace tsunagi::net
