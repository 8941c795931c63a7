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
struct ChannelCounters;

/// An end of a wire: a port of a device.
struct WireEnd {
  Device* device;
  int port;
  const PortSpec& spec() const;
  const std::string& port_name() const;
  /// "node1.peach2.w"
  std::string name() const;
};

/// The receiving end of one direction of a wire: what is under way to it, its buffers, the device behind it.
class Receiver {
 public:
  /// `owner` hears when space in the buffers gets free. `ahead`: packets may be handed on before they are there, to a
  /// device that takes them so. All must outlive it.
  Receiver(sim::Agenda& agenda, const WireSpec& wire, WireEnd end, SlotOwner& owner, ChannelCounters& counters,
           bool ahead);

  const WireEnd& end() const { return end_; }
  const RxSpec& spec() const { return rx_; }

  /// When what is on the wire in `wire` has passed the port's pipeline.
  Span arrival(const Span& wire) const {
    Span there{wire.head + wire_.flight, wire.tail + wire_.flight};
    if (rx_.store_and_forward) there.head = there.tail;
    const Time tail = rx_.pipeline.apply(there.tail);
    return {there.head == there.tail ? tail : rx_.pipeline.apply(there.head), tail};
  }
  /// Packets of class `c` are under way; they hold buffer space if the class `counts`.
  void take(flow::FlowClass c, bool counts, Delivery&& d);

  /// Space of a buffer that drops what it has no room for gets free.
  void freed(flow::FlowClass c, flow::Credits per_packet, const Schedule& when);
  bool under_way() const { return !in_flight_.empty(); }
  Time next_head() const { return in_flight_.front().delivery.schedule.front().head; }
  /// All buffers that drop are empty again.
  bool empty() const;
  /// Drops everything without giving it back; the machine is taken down.
  void discard();

 private:
  struct Arrive final : sim::Alarm {
    explicit Arrive(Receiver& r) : Alarm(sim::Phase::arrive), receiver(r) {}
    void ring() override { receiver.deliver(); }
    Receiver& receiver;
  };
  struct UnderWay {
    Delivery delivery;
    flow::FlowClass c = 0;
  };
  void put_under_way(flow::FlowClass c, bool counts, Delivery&& d);
  void deliver();
  /// Whether there is room for a packet that arrives now; else it is counted as dropped.
  bool admit(const UnderWay& u);

  sim::Agenda& agenda_;
  const WireSpec& wire_;
  const RxSpec& rx_;
  WireEnd end_;
  SlotOwner& owner_;
  ChannelCounters& counters_;
  bool ahead_;
  std::unique_ptr<std::vector<ReceiveBuffer>> buffers_;  // of a wire without flow control, by class
  flow::Ring<UnderWay> in_flight_;
  Arrive arrive_alarm_{*this};
};

}  // namespace tsunagi::net
