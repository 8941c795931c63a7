// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/describe.hpp"
#include "models/ethernet/link.hpp"
#include "models/ethernet/packet_memory.hpp"
#include "models/router/placed_router.hpp"
#include "sim/timer.hpp"

namespace tsunagi::ethernet {

/// An Ethernet switch, in the terms of its trade.
struct SwitchConfig : router::RouterConfig {
  int most_ports = 24;
  PortLimits limits;
  PacketMemoryConfig memory;
  Bytes pause_above;
  Bytes resume_below;
  SwitchConfig();
};
void describe(SwitchConfig& c, config::Describer& d);

/// A store-and-forward switch whose ports share one packet memory. A frame takes its place there, in whole cells, when
/// its last byte has come and its check is over, and is dropped and counted by output if there is no room for it
/// (PacketMemory); before that it is in its port. Its output is known after `latency` cycles; it goes behind the frames
/// that came before for the same output, and leaves its place with its last byte. Frames that come at one instant are
/// taken in turns of ports. An address is a place in the network, the table of addresses the topology's routes.
///
/// On wires with PAUSE: an input whose frames fill more than `pause_above` of the memory is told to be quiet, and to go
/// on when they fill less than `resume_below`. Who pauses is obeyed.
class Switch final : public router::PlacedRouter {
 public:
  /// Throws config::ConfigError if the topology did not place it, or with more ports than it has.
  Switch(DeviceArgs args, const SwitchConfig& c);
  void wired() override;
  void receive(int port, net::Delivery&& d) override;
  std::string leftover() const override;

  /// Frames that found no room to wait for an output.
  std::int64_t dropped(int port) const { return dropped_[static_cast<std::size_t>(port)]; }
  /// PAUSE frames that it sent.
  std::int64_t pauses() const { return pauses_; }

 private:
  /// Frees the memory of the frames that leave by one output.
  struct Output final : net::SlotOwner {
    Output(Switch& s, int p) : whole(s), port(p) {}
    void slot_released(flow::FlowClass in, flow::Credits per_packet, net::Spans when, std::uint64_t packet) override;
    Time slot_now() const override { return whole.now(); }
    Switch& whole;
    int port;
  };
  struct Came {
    int in;
    net::Delivery delivery;
  };
  /// All frames of this instant are here, and all of the memory that is free now.
  void act();
  void take_frame(int in, net::Delivery d);
  /// Pauses an input whose frames fill too much.
  void watch_input(int in);
  /// Inputs that are paused and whose frames fill little enough go on.
  void resume();
  /// While inputs are paused: acts when the next frame leaves.
  void watch_memory();
  void send_pause(int in, std::uint16_t quanta);
  bool pausing(int in) const { return pause_above_ > Bytes::zero() && port_at(in).channel().wire().held; }
  const net::Port& port_at(int i) const { return ports()[static_cast<std::size_t>(i)]; }

  Clock clock_;
  int latency_;
  int most_ports_;
  PortLimits limits_;
  PacketMemory memory_;
  Bytes pause_above_;
  Bytes resume_below_;
  std::vector<std::unique_ptr<Output>> outputs_;
  std::vector<Came> came_;
  int turn_ = 0;                       // whose frame of an instant is first
  std::vector<Time> paused_until_;     // by input; zero: it is not
  std::vector<std::int64_t> dropped_;  // by output
  std::int64_t pauses_ = 0;
  std::int64_t obeyed_ = 0;
  int paused_ = 0;  // inputs that were told to, and not yet to go on
  sim::Timer<&Switch::act> acts_{*this, sim::Phase::grant};
};

}  // namespace tsunagi::ethernet
