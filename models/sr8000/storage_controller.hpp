// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/host/transaction.hpp"

namespace tsunagi::sr8000 {

struct StorageControllerConfig {
  int cores = 1;
  Bytes memory_size = 8_GiB;
  Time latency = 100_ns;
  Bytes adapter_base = 512_GiB;
  Bytes adapter_size = 64_KiB;
};
void describe(StorageControllerConfig& c, config::Describer& d);

/// Joins the processors, the memory and the network interface adapter of an SR8000 node (paper 002, figure 2); routes
/// by address. Every transaction takes `latency` each way, from its first byte on (cut-through: assumed, the paper says
/// nothing of the controller's inside); those of one port stay in order.
class StorageController final : public net::Device {
 public:
  StorageController(DeviceArgs args, const StorageControllerConfig& c);
  void wired() override;
  void receive(int port, net::Delivery&& d) override;
  bool takes_ahead(int /*port*/, const flow::Packet& p) const override { return host::is_write(p); }
  const StorageControllerConfig& config() const { return config_; }

 private:
  /// The port that leads to an address; -1: nobody has it.
  int port_to(std::uint64_t address) const;
  int memory_port() const { return config_.cores; }
  int adapter_port() const { return config_.cores + 1; }
  StorageControllerConfig config_;
};

}  // namespace tsunagi::sr8000
