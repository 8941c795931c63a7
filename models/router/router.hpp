// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/router/routing.hpp"

namespace tsunagi::router {

struct RouterConfig {
  Frequency clock{1'000'000'000};
  int latency = 3;
  int virtual_channels = 2;
  int buffer_flits = 32;
  /// Packets in such a buffer; 0: as many as fit.
  int buffer_packets = 0;
  bool datelines = true;
};
void describe(RouterConfig& c, config::Describer& d);

/// An input-queued router with virtual channels, at a place of a ring, mesh, torus or crossbar.
///
/// A packet's head passes the pipeline of `latency` cycles from the first clock edge after it has arrived, then
/// waits for its output. Each output has one arbiter, round robin over the inputs, and grants whole packets:
/// virtual cut-through, not wormhole. A packet is granted when the next buffer has room for all of it, and its
/// own buffer space is free when its tail has left.
///
/// The input buffers are virtual output queues: packets of one input and virtual channel that leave by different
/// outputs do not block each other, but they share the buffer's space, so a blocked output fills it in the end.
/// An input may feed several outputs at a time (the internal crossbar is no bottleneck).
class Router final : public net::Device {
 public:
  /// Throws config::ConfigError if the topology did not place it.
  Router(DeviceArgs args, const RouterConfig& c);
  void wired() override;
  void receive(int port, net::Delivery d) override;
  Time next_offer(int /*port*/, int source) const override {
    return ports()[static_cast<std::size_t>(source)].next_arrival();
  }
  Time next_offer(int /*port*/) const override { return now() + least_latency_; }
  bool takes_ahead(int /*port*/, const flow::Packet& /*p*/) const override { return true; }
  const Routing& routing() const { return routing_; }

 private:
  /// What terminals send fits all wires.
  void check_packets() const;
  int place_;
  int virtual_channels_;
  Routing routing_;
  Time least_latency_ = Time::max();  // of what comes by any port; nothing is on its way, because all is taken ahead
};

}  // namespace tsunagi::router
