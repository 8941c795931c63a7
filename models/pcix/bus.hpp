// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/describe.hpp"
#include "models/host/passage.hpp"
#include "models/pcie/slots.hpp"
#include "models/pcix/shared_bus.hpp"

namespace tsunagi::pcix {

struct BusConfig {
  Frequency clock{133'333'333};
  int width = 64;
  int decode = 1;
  int arbitration = 2;
  std::vector<pcie::SlotConfig> slots;
};
void describe(BusConfig& c, config::Describer& d);

/// A PCI-X segment in mode 1 (PCI-X Addendum 1.0a): the port "host" leads to the bridge, the others are slots.
///  - A transaction goes to the slot whose window has its address, else to the bridge; completions to who asked.
///  - Every read is answered by a split response, and its data come as completions, transactions of their own.
///  - Whom its target has no room for is told to retry: that takes clocks, and its master asks again when it has been
///    told of room, or when others have used the bus since. Who was refused first is first served, so that nobody
///    retries for ever.
class Bus final : public SharedBus, public pcie::Slots, public host::Passage {
 public:
  Bus(DeviceArgs args, const BusConfig& c);
  void wired() override;
  const pcie::SlotConfig* slot_at(int port) const override {
    return port == host_port ? nullptr : &config_.slots[static_cast<std::size_t>(port - 1)];
  }
  const net::Port& towards_host() const override { return ports()[host_port]; }
  const net::Port* port_for(int in, Address address) const override;
  const BusConfig& config() const { return config_; }
  const Timing& timing() const { return timing_; }

  static constexpr int host_port = 0;

 private:
  int route(int in, const flow::Packet& p) const override;
  Clocks clocks(int in, int last, const flow::Packet& p) const override;
  Clocks refused(const flow::Packet& p) const override { return timing_.request(p.address); }
  void pass(int in, int out, flow::Packet& p) override;
  void nobody(int in, net::Delivery d) override;
  int port_count() const { return static_cast<int>(ports().size()); }

  BusConfig config_;
  Timing timing_;
};

}  // namespace tsunagi::pcix
