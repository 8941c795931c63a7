// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/nvlink/endpoint.hpp"
#include "models/pcie/buffers.hpp"

namespace tsunagi::nvlink {

struct NvSwitchConfig {
  int ports = 36;
  Time latency = 100_ns;
  pcie::BufferConfig buffers;
};
void describe(NvSwitchConfig& c, config::Describer& d);

/// An NVSwitch: a crossbar between links, routed by address (Ishii and Foley, "NVSwitch and DGX-2", Hot Chips 30,
/// 2018). Ports "port0", ... are wired to GPUs; those of one GPU are a bundle.
///  - A request goes to the bundle of the GPU that has its address. That which came by the k-th link of its sender's
///    bundle leaves by the k-th of the target's (modulo its number of links): two GPUs with as many links use each
///    once, and what a GPU sends by one link keeps its order. (Which link a switch takes is not published.) Answers go
///    back the way of their read.
///  - `latency` is from a packet's head to its head: cut-through.
///  - What waits occupies the receive buffer of the port it came by; nothing else is in its way
///    but packets for the same link, among which ports have turns. (How many buffers a switch has, and of what its
///    ports' turns are, is not published.)
class NvSwitch final : public net::Device {
 public:
  NvSwitch(DeviceArgs args, const NvSwitchConfig& c);
  void wired() override;
  void receive(int port, net::Delivery&& d) override;
  Time next_offer(int /*port*/, int source) const override {
    return ports()[static_cast<std::size_t>(source)].next_arrival();
  }
  Time next_offer(int /*port*/) const override { return now() + least_latency_; }
  bool takes_ahead(int /*port*/, const flow::Packet& /*p*/) const override { return true; }

 private:
  /// By which port a request leaves that came by `in`; -1: nobody has the address.
  int port_to(int in, std::uint64_t address) const;
  int port_count() const { return static_cast<int>(ports().size()); }

  std::vector<Behind> bundles_;
  std::vector<int> place_;  // of each port in its bundle
  Time least_latency_ = Time::max();
};

}  // namespace tsunagi::nvlink
