// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/host/memory/last_level_cache.hpp"
#include "models/host/transaction.hpp"
#include "units/rate.hpp"

namespace tsunagi::host {

/// When accesses to a memory behind a last-level cache are done. DRAM carries one line after the other, in the order
/// in which they are asked for (banks are not modelled). Calls come in the order of the accesses: `at` never decreases.
class CachedDram {
 public:
  explicit CachedDram(const LastLevelCacheConfig& c) : config_(c), cache_(c) {}

  /// When the last of `n` bytes that are read from `address` on is in the cache or has come from DRAM; `at`: now.
  Time read(std::uint64_t address, Bytes n, Time at);
  /// When the last line of a write of `n` bytes is where it stays:
  ///  - a line that is in the cache is written there, now or when it has come;
  ///  - else a place in the cache is taken, after the way of a dirty line that had it to DRAM (`dram_latency`; both
  ///    are asked for at once); of a line that is not written as a whole the rest is read before;
  ///  - a card at another socket writes to DRAM alone, and what the cache had of the line is gone.
  Time write(std::uint64_t address, Bytes n, Time at, Agent by);

  /// As if `by` had written those lines long ago.
  void warm(std::uint64_t address, Bytes n, WarmedBy by);
  void make_cold() { cache_.make_cold(); }

 private:
  /// One line to or from DRAM, asked for at `at`: when it is there.
  Time carry(Time at);
  Time write_line(std::uint64_t number, bool whole, Time at, WarmedBy by);
  Time write_through(std::uint64_t number, bool whole, Time at);

  LastLevelCacheConfig config_;
  LastLevelCache cache_;
  Time free_;  // when DRAM has carried what was asked for so far
  Remainder owed_;
};

}  // namespace tsunagi::host
