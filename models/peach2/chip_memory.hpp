// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "config/describe.hpp"
#include "flow/packet.hpp"
#include "models/host/memory/byte_store.hpp"
#include "models/peach2/registers.hpp"
#include "net/schedule.hpp"

namespace tsunagi::peach2 {

struct ChipMemoryConfig {
  int internal_cycles = 4;
  int packet_memory_cycles = 30;
  Bytes packet_memory = 2_GiB;
};
void describe(ChipMemoryConfig& c, config::Describer& d);

/// Descriptor memory (inside the FPGA) and packet memory (the board's DDR3 SO-DIMM) as they lie in the chip region.
/// Keeps the bytes that packets' contents say, not bulk data. Both take writes as fast as they come; accesses of
/// different channels and ports do not wait for each other (the SO-DIMM has twice the rate of the datapath).
class ChipMemory {
 public:
  explicit ChipMemory(const ChipMemoryConfig& c) : config_(c) {}

  bool in_descriptors(std::uint64_t offset, Bytes n) const;
  bool in_packets(std::uint64_t offset, Bytes n) const;
  /// First offset behind everything that is there.
  std::uint64_t end() const;
  /// Cycles from a read to its first data.
  int read_cycles(std::uint64_t offset) const {
    return offset < ChipRegion::packet_memory ? config_.internal_cycles : config_.packet_memory_cycles;
  }
  /// A write whose packets are there as `when` says, perhaps later than `now`.
  void write(const flow::Packet& p, std::uint64_t offset, const net::Schedule& when, Time now);
  /// What `n` bytes (at most 4 KiB) from `offset` on said just before `now`, which never goes back.
  flow::Contents read(flow::ContentsPool& pool, std::uint64_t offset, Bytes n, Time now);

 private:
  const ChipMemoryConfig& config_;
  // Ports tell of their writes in no particular order.
  host::ByteStore bytes_{host::ByteStore::Ties::by_number};
};

}  // namespace tsunagi::peach2
