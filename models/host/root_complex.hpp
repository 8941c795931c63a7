// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/pcie/buffers.hpp"

namespace tsunagi::host {

/// A PCIe slot: the window of addresses that belongs to the device in it (BARs as the BIOS assigned them).
struct SlotConfig {
  std::string name;
  Bytes window_base;
  Bytes window_size;
};
void describe(SlotConfig& c, config::Describer& d);

struct RootComplexConfig {
  int cores = 1;
  Bytes memory_size = 128_GiB;
  Time posted_latency = 150_ns;
  Time read_latency = 200_ns;
  Time completion_latency = 200_ns;
  Bytes completion_size = 256_B;
  Bytes read_completion_boundary = 64_B;
  pcie::BufferConfig buffers;
  std::vector<SlotConfig> slots;
};
void describe(RootComplexConfig& c, config::Describer& d);

/// Joins cores, memory and PCIe slots of a socket; routes by address.
class RootComplex final : public net::Device {
 public:
  RootComplex(DeviceArgs args, const RootComplexConfig& c);
  void wired() override;
  void receive(int port, net::Delivery d) override;
  /// The window of the slot that ends in `device`, or null.
  const SlotConfig* slot_of(const net::Device& device) const;
  const RootComplexConfig& config() const { return config_; }

 private:
  int route(std::uint64_t address) const;
  /// Delays a delivery by a fixed latency, named for observers.
  void pass(net::Delivery& d, const char* what, Time latency) const;
  void forward_read(int in, int out, net::Delivery d);
  void forward_completion(net::Delivery d);
  int memory_port() const { return config_.cores; }
  int slot_port(std::size_t i) const { return config_.cores + 1 + static_cast<int>(i); }
  RootComplexConfig config_;
  std::int64_t max_train_;
};

}  // namespace tsunagi::host
