// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/describe.hpp"
#include "flow/ring.hpp"
#include "machine/machine.hpp"
#include "models/myrinet/header.hpp"

namespace tsunagi::myrinet {

struct CrossbarConfig {
  int ports = 16;
  Time latency = 50_ns;
  Bytes slack = 320_B;
};
void describe(CrossbarConfig& c, config::Describer& d);

/// A crossbar switch of a Myrinet. It knows no network: the first route byte of a packet names the output, by its
/// number among the ports as the network numbers them, and goes no further: the packet is a byte shorter on the next
/// wire, where it begins a byte later, when its second byte has come (net::Transmitter waits for what has not).
///
/// Worms: a packet passes while it comes; what it finds no room for in the next slack buffer stays where it is, over
/// several buffers and the wires between them. An input is a FIFO: nothing behind a packet that waits for its output
/// goes on before all of that has left (head-of-line blocking). An output serves one packet to its end, then, round
/// robin, that of the next input that waits (Boden et al., "Myrinet: a gigabit-per-second local-area network", IEEE
/// Micro 15(1), 1995; that inputs are FIFOs and route bytes absolute is this model's).
///
/// A packet that waits for ever stays so; the chip would drop it after some time (not modelled).
class Crossbar final : public net::Device {
 public:
  /// Throws config::ConfigError if the topology did not place it, or wires more ports than it has.
  Crossbar(DeviceArgs args, const CrossbarConfig& c);
  void wired() override;
  void receive(int port, net::Delivery&& d) override;
  Time next_offer(int /*port*/, int source) const override {
    return inputs_[static_cast<std::size_t>(source)].waiting.empty() ? arrival(source) : now();
  }
  Time next_offer(int /*port*/) const override { return waiting_inputs_ > 0 ? now() : now() + least_latency_; }
  bool takes_ahead(int /*port*/, const flow::Packet& /*p*/) const override { return true; }
  std::string leftover() const override;
  /// Its number in the network.
  int place() const { return place_; }
  const topo::Network& network() const { return *network_; }

 private:
  static constexpr int none = -1;
  /// A FIFO: the pieces of the packet that has its output are there, those of the ones behind it wait here.
  struct Input final : net::SlotOwner {
    /// The last piece of a packet leaves.
    void slot_released(flow::FlowClass c, flow::Credits per_packet, net::Spans when, std::uint64_t packet) override;
    Time slot_now() const override { return crossbar->now(); }
    Crossbar* crossbar = nullptr;
    int number = 0;
    int output = none;  // that of the packet at the front
    net::Slot tail;     // upstream, of that packet's last piece
    Time free_since;    // when the last packet had left
    flow::Ring<net::Delivery> waiting;
  };
  Time arrival(int port) const { return ports()[static_cast<std::size_t>(port)].next_arrival(); }
  /// A piece at the front of its input goes to its output.
  void pass(Input& in, net::Delivery d);
  /// Nothing of it is at the front before the packet in front of it has left.
  void wait_behind(const Input& in, net::Delivery& d) const;
  /// Takes the first byte off the route; returns the output that it names.
  int take_route_byte(Input& in, Header& h);
  void go_on(Input& in);

  int place_;
  std::shared_ptr<const topo::Network> network_;
  Bytes slack_;
  std::vector<Input> inputs_;
  int waiting_inputs_ = 0;            // at which anything waits behind a packet
  Time least_latency_ = Time::max();  // of what comes by any port
};

}  // namespace tsunagi::myrinet
