// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "models/router/placed_router.hpp"
#include "net/shared_slot.hpp"

namespace tsunagi::router {

/// The ideal router with virtual channels, of a network: nothing inside it is in the
/// way of a packet but the packets that want the same output. InputQueuedRouter is what is built.
///
/// A packet's head passes the pipeline of `latency` cycles from the first clock edge after it has arrived, then
/// waits for its output. Each output has one arbiter, round robin over the inputs or what else Turns names, and grants
/// whole packets: virtual cut-through, not wormhole. Where the wire out is faster than that in, a packet starts so late
/// that the former does not run dry, and keeps nobody else's packets from it before. A packet is granted when the next
/// buffer has room for all of it, and its own buffer space is free when its tail has left.
///
/// The input buffers are virtual output queues: packets of one input and virtual channel that leave by different
/// outputs do not block each other, but they share the buffer's space, so a blocked output fills it in the end.
/// An input may feed several outputs at a time (the internal crossbar is no bottleneck). The copies of a multicast
/// leave when each may, and occupy the input buffer together until the last has left.
class Router : public PlacedRouter {
 public:
  /// Throws config::ConfigError if the topology did not place it.
  Router(DeviceArgs args, const RouterConfig& c) : Router(std::move(args), c, {true, true}) {}
  void wired() override;
  void receive(int port, net::Delivery&& d) override;
  Time next_offer(int /*port*/, int source) const override {
    return ports()[static_cast<std::size_t>(worms() ? source / virtual_channels() : source)].next_arrival();
  }
  Time next_offer(int /*port*/) const override { return routing().adaptive() ? now() : now() + least_latency_; }
  /// Where routes are adaptive, what is chosen depends on what the outputs have to do when the packet is there.
  bool takes_ahead(int /*port*/, const flow::Packet& /*p*/) const override { return !routing().adaptive(); }
  std::string leftover() const override;

 protected:
  /// A router with other ports.
  Router(DeviceArgs args, const RouterConfig& c, const Inside& inside)
      : PlacedRouter(std::move(args), c, inside), shared_(simulation().agenda()) {}
  /// Queues what came by port `in` for its output, as source `source` there.
  void pass(int in, int source, Hop hop, net::Delivery&& d);

 private:
  /// Packets of an input queue together; worms by virtual channel, else two would be one queue's.
  int source_of(int in, flow::FlowClass vc) const { return worms() ? in * virtual_channels() + vc : in; }
  /// Where the wire of port `out` is faster than that of port `in`: it starts when the former does not run dry.
  void hold_back(int in, int out, net::Delivery& d);
  /// A packet, or a train, becomes many, which leave by outputs of their own when those are free.
  void replicate(int in, net::Delivery&& d);
  net::SharedSlots shared_;
  bool some_are_faster_ = false;      // of the wires out than of those in
  Time least_latency_ = Time::max();  // of what comes by any port; nothing is on its way, because all is taken ahead
};

}  // namespace tsunagi::router
