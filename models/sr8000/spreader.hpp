// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "flow/ring.hpp"
#include "net/device.hpp"
#include "sim/simulation.hpp"
#include "units/clock.hpp"

namespace tsunagi::sr8000 {

/// Lets packets into a crossbar's outputs that are copied to several of them, one at a time: every output has room for
/// one such copy, and a packet is granted when all outputs have it. So the copies enter their outputs together, and the
/// next packet's do when the last one has left. Inputs have turns, packet by packet: a message that kept the others out
/// until its end would wait for ever where packets of theirs fill the buffers before it.
///
/// What came by an edge of the clock is granted at the next one.
class Spreader final : private net::SlotOwner, private sim::Alarm {
 public:
  class Outputs {
   public:
    virtual ~Outputs() = default;
    /// Packet `d` of input `in` is granted to its outputs; its slot is to be released when all copies have left.
    virtual void spread(int in, net::Delivery d) = 0;
  };
  Spreader(const net::Device& device, Outputs& outputs, sim::Agenda& agenda, const Clock& clock, int inputs);

  /// Packets to be copied, one or a train.
  void take(int in, net::Delivery d);
  /// Packets wait that have not been granted.
  bool waits() const { return waiting_ > 0; }
  /// Nothing waits, and all copies have left.
  bool idle() const { return waiting_ == 0 && free_ != Time::max(); }

 private:
  void ring() override;
  void slot_released(flow::FlowClass c, flow::Credits per_packet, net::Spans when, std::uint64_t packet) override;
  Time slot_now() const override { return agenda_.now(); }
  /// The input whose turn it is of those whose packet is here.
  int next_input() const;
  /// The first packet of an input.
  net::Delivery take_first(int in);
  void arm();

  const net::Device& device_;
  Outputs& outputs_;
  sim::Agenda& agenda_;
  Clock clock_;
  std::vector<flow::Ring<net::Delivery>> inputs_;
  int waiting_ = 0;  // deliveries
  int turn_ = 0;
  Time free_;       // all outputs have room; max: that is not known yet
  net::Slot held_;  // by the packet that was granted last
};

}  // namespace tsunagi::sr8000
