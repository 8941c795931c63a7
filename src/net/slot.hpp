// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "flow/credits.hpp"
#include "flow/framing.hpp"
#include "net/schedule.hpp"

namespace tsunagi::net {

/// Who lends buffer space: a wire's receive buffer, a core's write-combining buffers, a DMA engine.
class SlotOwner {
 public:
  virtual ~SlotOwner() = default;
  /// Packet `i` of the train that held `per_packet` has left the buffer at the tail of `when[i]` (not before now).
  /// `packet` is the number of what left (0: dropped).
  virtual void slot_released(flow::FlowClass c, flow::Credits per_packet, Spans when, std::uint64_t packet) = 0;
  virtual Time slot_now() const = 0;
};

/// Buffer space held by whoever holds the packet. Given back when told, else, now, by the destructor.
class Slot {
 public:
  Slot() = default;
  Slot(SlotOwner& owner, flow::FlowClass c, flow::Credits per_packet, int count)
      : Slot(owner, c, per_packet, per_packet, count) {}
  /// The last packet of a train may take less space than the others.
  Slot(SlotOwner& owner, flow::FlowClass c, flow::Credits per_packet, flow::Credits last, int count)
      : owner_(&owner), per_packet_(per_packet), last_(last), count_(count), class_(c) {}
  Slot(Slot&& o) noexcept
      : owner_(std::exchange(o.owner_, nullptr)),
        per_packet_(o.per_packet_),
        last_(o.last_),
        count_(o.count_),
        class_(o.class_) {}
  Slot& operator=(Slot&& o) noexcept {
    if (owner_ != nullptr) {  // what was held goes back last: who gets it may look at this one
      const Slot old(std::move(*this));
      return *this = std::move(o);
    }
    owner_ = std::exchange(o.owner_, nullptr);
    per_packet_ = o.per_packet_;
    last_ = o.last_;
    count_ = o.count_;
    class_ = o.class_;
    return *this;
  }
  ~Slot() {
    if (owner_ != nullptr) release_now();
  }
  /// Lets go without giving back: only when the machine is taken down and the owner may be gone.
  void abandon() { owner_ = nullptr; }
  /// Takes over the slot of the packets that follow, if it is of the same buffer; else leaves both alone.
  bool absorb(Slot& next) {
    if (next.owner_ != owner_ || next.class_ != class_ || next.per_packet_ != per_packet_ || last_ != per_packet_)
      return false;
    count_ += next.count_;
    last_ = next.last_;
    next.owner_ = nullptr;
    return true;
  }
  /// Gives the first `n` packets (fewer than all) a slot of their own.
  Slot split_front(int n) {
    if (owner_ == nullptr) return {};
    count_ -= n;
    return Slot(*owner_, class_, per_packet_, n);
  }
  /// The next `when.size()` packets of train `packet` leave the buffer, packet `i` of them at `when[i].tail`; the slot
  /// keeps what is left of the train.
  void release(Spans when, std::uint64_t packet = 0) {
    if (owner_ != nullptr) release_held(when, packet);
  }

 private:
  void release_now();
  void release_held(Spans when, std::uint64_t packet);
  SlotOwner* owner_ = nullptr;
  flow::Credits per_packet_;
  flow::Credits last_;
  int count_ = 0;
  flow::FlowClass class_ = 0;
};

/// A train under way: what moves, when its packets pass, and the buffer it still occupies upstream.
struct Delivery {
  flow::PacketPtr packet;
  Schedule schedule;
  Slot slot;
};

/// Takes the first `n` packets (fewer than all) off a train.
Delivery split_front(Delivery& train, std::int32_t n);

}  // namespace tsunagi::net
