// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "flow/ring.hpp"
#include "net/receive_buffer.hpp"
#include "net/slot.hpp"
#include "net/specs.hpp"
#include "sim/simulation.hpp"

namespace tsunagi::net {

class Device;
class Direction;

/// An end of a wire: a port of a device.
struct WireEnd {
  Device* device;
  int port;
  const PortSpec& spec() const;
  const std::string& port_name() const;
  /// "node1.peach2.w"
  std::string name() const;
};

/// Hears of packets that found no room in a buffer.
class DropListener {
 public:
  virtual ~DropListener() = default;
  /// A packet that arrives now, alone.
  virtual void dropped(const flow::Packet& p) = 0;
};

/// The receiving end of one direction of a wire: what is under way to it, its buffers, the device behind it.
class Receiver final : private sim::Alarm {
 public:
  /// Of `direction`, which ends in `end`. `owner` hears when space in the buffers gets free. `ahead`: packets may be
  /// handed on before they are there, to a device that takes them so. All must outlive it.
  Receiver(Direction& direction, WireEnd end, SlotOwner& owner, bool ahead);

  const WireEnd& end() const { return end_; }
  const RxSpec& spec() const { return rx_; }
  /// Whether packets may be handed on before they are there.
  bool ahead() const { return ahead_; }

  /// When what is on the wire in `wire` has passed the port's pipeline, after its flight of `flight`.
  Span arrival(const Span& wire, Time flight) const {
    Span there{wire.head + flight, wire.tail + flight};
    if (whole_) there.head = there.tail;
    const Time tail = rx_.pipeline.apply(there.tail);
    return {there.head == there.tail ? tail : rx_.pipeline.apply(there.head), tail};
  }
  /// Packets of class `c` are under way; they hold buffer space if the class `counts`, the last one of them `last` if
  /// they stay together.
  void take(flow::FlowClass c, bool counts, flow::Credits last, Delivery&& d);

  /// Space of a buffer that drops what it has no room for gets free.
  void freed(flow::FlowClass c, flow::Credits per_packet, Spans when);
  bool under_way() const { return !in_flight_.empty(); }
  Time next_head() const { return in_flight_.front().delivery.schedule.front().head; }
  /// Counts a packet (not a train) that is dropped.
  void drop(const flow::Packet& p);
  /// Who hears of what is dropped, from now on.
  void tell_drops(DropListener& listener) { drops_ = &listener; }
  /// All buffers that drop are empty again.
  bool empty() const;
  /// Drops everything without giving it back; the machine is taken down.
  void discard();

 private:
  struct UnderWay {
    Delivery delivery;
    flow::FlowClass c = 0;
  };
  void put_under_way(flow::FlowClass c, bool counts, flow::Credits last, Delivery&& d);
  /// The next one is here.
  void ring() override;
  /// Whether there is room for a packet that arrives now; else it is counted as dropped.
  bool admit(const UnderWay& u);

  bool ahead_;
  bool whole_;  // a packet is handed on when its last byte is there; of flits none is known before all of it is
  Direction& direction_;
  const RxSpec& rx_;
  WireEnd end_;
  SlotOwner& owner_;
  std::unique_ptr<std::vector<ReceiveBuffer>> buffers_;  // of a wire without flow control, by class
  DropListener* drops_ = nullptr;
  flow::Ring<UnderWay> in_flight_;
};

}  // namespace tsunagi::net
