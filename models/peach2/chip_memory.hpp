// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "config/describe.hpp"
#include "flow/packet.hpp"
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
/// Keeps the words that messages mark, not the data. Both take writes as fast as they come; accesses of different
/// channels and ports do not wait for each other (the SO-DIMM has twice the rate of the datapath).
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
  /// A write whose packets are there as `when` says, the time being `now`. Writes of up to
  /// `pcie::largest_worded_read` in whole words set each word that they cover, larger ones the last if it says
  /// anything.
  void write(const flow::Packet& p, std::uint64_t offset, const net::Schedule& when, Time now);
  /// Fills in what the last words of `n` bytes from `offset` on said just before `now`.
  void tell(std::uint64_t offset, Bytes n, Time now, flow::Packet& p) const;

 private:
  /// A word may be told ahead of time what it will say.
  struct Version {
    Time since;
    std::uint64_t value = 0;
  };
  void set(std::uint64_t end, std::uint64_t value, Time when, Time now);
  std::uint64_t value_ending_at(std::uint64_t end, Time before) const;

  const ChipMemoryConfig& config_;
  std::unordered_map<std::uint64_t, std::vector<Version>> words_;  // by their ends; looked up only, never walked
};

}  // namespace tsunagi::peach2
