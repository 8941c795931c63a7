// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "config/describe.hpp"
#include "models/infiniband/link.hpp"
#include "models/router/router.hpp"

namespace tsunagi::infiniband {

/// An InfiniBand switch, in the standard's terms. Virtual lanes are the router's virtual channels, blocks of 64 B its
/// flits.
struct SwitchConfig : router::RouterConfig {
  PortLimits limits;
  /// Of a virtual lane's turn, in 64 B; none: inputs have the turns, of a packet each.
  std::vector<std::int64_t> weights;
  /// Virtual lanes that go before the others.
  std::vector<std::int64_t> high_priority;
  SwitchConfig();
};
void describe(SwitchConfig& c, config::Describer& d);

/// A switch of a subnet: router::Router with InfiniBand's ports. A LID is a terminal's place in the network, the linear
/// forwarding table the topology's routes. Virtual cut-through: a packet's head passes in `latency` cycles and leaves
/// when its output is free, its tail may follow and the next buffer has credits for all of it.
///
/// Packets of one input for different outputs do not block each other, in whatever order they came (virtual output
/// queues), and an input may feed several outputs at once. That is more than the chips do: InfiniScale IV's crossbar
/// takes three packets at once from an input. A virtual lane's packets share the input's buffer, so that those for a
/// congested output fill it in the end and hold up the others behind them (trees of saturation).
///
/// Each output arbitrates among virtual lanes by `weights` and `high_priority`, within a lane among inputs, round robin
/// (volume 1, 7.6.9; the limit of high priority is none).
class Switch final : public router::Router {
 public:
  /// Throws config::ConfigError if the topology did not place it.
  Switch(DeviceArgs args, const SwitchConfig& c);
  void wired() override;

 private:
  PortLimits limits_;
};

}  // namespace tsunagi::infiniband
