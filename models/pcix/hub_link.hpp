// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "config/describe.hpp"
#include "models/host/passage.hpp"
#include "models/pcix/shared_bus.hpp"

namespace tsunagi::pcix {

struct HubLinkConfig {
  Frequency transfers{533'333'333};
  Bytes width = 2_B;
  Bytes header = 16_B;
  Bytes line = 64_B;
  int turnaround = 2;
  int arbitration = 2;
  int queue = 8;
};
void describe(HubLinkConfig& c, config::Describer& d);

/// A link between a north bridge (port "north") and an I/O bridge (port "south") that both share, as Intel's Hub Link:
/// one direction at a time. A transaction is a header, and one for each line of its data; who has no room for it at the
/// other end does not get the link.
class HubLink final : public SharedBus, public host::Passage {
 public:
  HubLink(DeviceArgs args, const HubLinkConfig& c);
  const net::Port& towards_host() const override { return ports()[north]; }
  const net::Port* port_for(int in, Address /*address*/) const override {
    return &ports()[static_cast<std::size_t>(other(in))];
  }
  const HubLinkConfig& config() const { return config_; }

  static constexpr int north = 0;
  static constexpr int south = 1;

 private:
  static int other(int port) { return port == north ? south : north; }
  int route(int in, const flow::Packet& /*p*/) const override { return other(in); }
  Clocks clocks(int in, int last, const flow::Packet& p) const override;
  void nobody(int in, net::Delivery d) override;

  HubLinkConfig config_;
};

}  // namespace tsunagi::pcix
