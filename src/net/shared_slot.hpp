// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "net/slot.hpp"
#include "sim/simulation.hpp"

namespace tsunagi::net {

/// Buffer space upstream that several copies of a packet, or of a train, occupy together. Space of packet `i` is given
/// back when the last copy of it has left, at that copy's time.
class SharedSlot {
 public:
  explicit SharedSlot(const sim::Agenda& agenda) : agenda_(agenda) {}
  /// `packets` of a train, each copied `copies` times (both >= 1), that hold `upstream`.
  void share(Slot&& upstream, int copies, int packets);
  /// What copy `i` (0 .. copies - 1) holds; each is taken once.
  Slot copy(int i);
  /// Every copy of every packet has left.
  bool empty() const { return gone_ == static_cast<int>(packets_.size()); }

 private:
  /// Hears when the packets of one copy leave, in their order.
  struct Copy final : SlotOwner {
    void slot_released(flow::FlowClass c, flow::Credits per_packet, Spans when, std::uint64_t packet) override;
    Time slot_now() const override { return whole->agenda_.now(); }
    SharedSlot* whole = nullptr;
    std::size_t left = 0;  // packets
  };
  struct Packet {
    int copies = 0;  // that are still here
    Time last;       // when the last of those that are not left
  };
  const sim::Agenda& agenda_;
  Slot upstream_;
  std::vector<Copy> copies_;
  std::vector<Packet> packets_;
  int gone_ = 0;  // packets given back
};

/// Shared slots of a device; used again when their packets have left.
class SharedSlots {
 public:
  explicit SharedSlots(const sim::Agenda& agenda) : agenda_(agenda) {}
  SharedSlot& share(Slot&& upstream, int copies, int packets);
  /// All that was shared has left.
  bool empty() const;

 private:
  const sim::Agenda& agenda_;
  std::vector<std::unique_ptr<SharedSlot>> all_;
};

}  // namespace tsunagi::net
