// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/host/contents.hpp"
#include "models/pcie/tlp.hpp"

namespace tsunagi::host {

struct MemoryConfig {
  Bytes base;
  Bytes size = 128_GiB;
  Time write_latency = 0_ns;
  Time read_latency = 50_ns;
  bool record = false;
};
void describe(MemoryConfig& c, config::Describer& d);

/// Memories and windows of devices are whole pages.
constexpr bool is_paged(Bytes b) { return b.count() % 4096 == 0; }

/// Where drivers get buffers in so many bytes of host memory from address 0 on: above 4 GiB, where most of it lies, if
/// a gigabyte lies there, else at its start.
Bytes buffers_from(Bytes size);

/// Host memory with the caches in front of it. Keeps the words that messages mark (flags, last
/// words), not the data; with `record`, every extent that was written.
class Memory final : public net::Device {
 public:
  Memory(DeviceArgs args, const MemoryConfig& c);
  void receive(int port, net::Delivery d) override;
  bool takes_ahead(int /*port*/, const flow::Packet& p) const override { return pcie::is_write(p); }
  std::string leftover() const override;

  const MemoryConfig& config() const { return config_; }
  /// The word that ends at `end` (the address behind its last byte).
  Word& word_ending_at(std::uint64_t end) { return contents_.words().ending_at(end); }
  const std::vector<Extent>& extents() const { return contents_.extents(); }

 private:
  void write(const flow::Packet& p, const net::Schedule& s);
  void answer(net::Delivery request);

  MemoryConfig config_;
  Contents contents_;
};

}  // namespace tsunagi::host
