// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/process/memory_plan.hpp"

namespace tsunagi::libraries {

/// Pages of a rank's memory that cards may access, which are never let go again. (A cache of registrations.)
class RegisteredMemory {
 public:
  /// Adds those of `n` bytes from `address` on. Returns how many are new.
  std::int64_t add(std::uint64_t address, Bytes n) {
    const auto page = unsigned_of(process::MemoryPlan::page);
    std::int64_t fresh = 0;
    for (std::uint64_t p = address / page; p * page < address + unsigned_of(n); ++p) {
      const auto at = std::lower_bound(known_.begin(), known_.end(), p);
      if (at != known_.end() && *at == p) continue;
      known_.insert(at, p);
      ++fresh;
    }
    return fresh;
  }

 private:
  std::vector<std::uint64_t> known_;  // in order
};

}  // namespace tsunagi::libraries
