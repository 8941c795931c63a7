// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/pcie/buffers.hpp"
#include "models/pcie/slots.hpp"

namespace tsunagi::pcie {

/// When a packet starts to leave a switch.
enum class Forwarding : std::uint8_t { cut_through, store_and_forward };

struct SwitchConfig {
  Forwarding forwarding = Forwarding::cut_through;
  Time latency = 100_ns;
  Bytes max_payload_size = 4_KiB;
  bool acs_redirect = false;
  BufferConfig buffers;
  std::vector<SlotConfig> downstream;
};
void describe(SwitchConfig& c, config::Describer& d);

/// A PCI Express switch (Base Specification 1.3.3): port `up` towards the root complex, downstream ports towards cards
/// and other switches.
///  - A request goes to the downstream port whose window has its address, whatever port it came by, else up. If that is
///    the port it came by, nobody has it: pcie::refuse. Completions go back the way of their request (way_back.hpp).
///    With `acs_redirect` what a card asks of another below the switch goes up, too, to the root complex (6.12.1).
///  - `latency` is from a packet's head to its head (cut-through) or from its tail (store and forward). Where the wire
///    out is faster than that in, a packet that cuts through starts so late that the former does not run dry, and keeps
///    nobody else's packets from it before.
///  - What waits occupies the receive buffer of the port it came by; beside that nothing is in the way of a packet but
///    the packets that want the same wire: ports have turns there, each port's own packets keep PCIe's order (2.4.1).
class Switch final : public net::Device, public Slots {
 public:
  Switch(DeviceArgs args, const SwitchConfig& c);
  void wired() override;
  void receive(int port, net::Delivery&& d) override;
  Time next_offer(int /*port*/, int source) const override {
    return ports()[static_cast<std::size_t>(source)].next_arrival();
  }
  Time next_offer(int /*port*/) const override { return now() + least_latency_; }
  bool takes_ahead(int /*port*/, const flow::Packet& /*p*/) const override { return true; }
  const SlotConfig* slot_at(int port) const override {
    return port == up ? nullptr : &config_.downstream[static_cast<std::size_t>(port - 1)];
  }
  /// Where writes to an address leave that came by port `in`; null: nobody has it.
  const net::Port* port_for(int in, Address address) const;
  const SwitchConfig& config() const { return config_; }

  static constexpr int up = 0;

 private:
  /// All that can talk through it has one largest payload, and the switch can carry that.
  void check_payloads() const;
  /// Ways back through all switches from here to the top must find room in a request.
  void check_depth() const;
  /// Of a request that came by port `in`.
  int port_to(int in, Address a) const {
    const int out = 1 + slot_with(config_.downstream, a);
    return config_.acs_redirect && in != up && out != in ? up : out;
  }
  int port_count() const { return static_cast<int>(ports().size()); }
  void forward_request(int in, net::Delivery d);
  void forward(int in, int out, net::Delivery d);

  SwitchConfig config_;
  Time least_latency_ = Time::max();  // of what comes by any port; nothing is on its way, because all is taken ahead
};

/// The link by which a card's packets leave all switches that it is below of; null: it is connected to nothing.
const net::Channel* link_above_switches(const net::Device& card);

}  // namespace tsunagi::pcie
