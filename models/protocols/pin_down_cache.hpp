// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <unordered_map>

#include "models/process/memory_plan.hpp"
#include "units/bytes.hpp"

namespace tsunagi::protocols {

/// Pages of a rank's memory that cards may access: they stay registered when a transfer is over, for the next one from
/// or to there (Tezuka, O'Carroll, Hori, Ishikawa, "Pin-down cache", IPPS 1998). Of more than there may be, those are
/// let go that were used longest ago.
class PinDownCache {
 public:
  /// As many pages as fit into `most` (>= 0) may be registered between transfers.
  explicit PinDownCache(Bytes most) : most_(most / process::MemoryPlan::page) {}
  PinDownCache() : PinDownCache(Bytes(std::int64_t{1} << 62)) {}

  /// Registers those of `n` bytes from `address` on. Returns how many were not.
  std::int64_t add(std::uint64_t address, Bytes n) {
    const auto page = unsigned_of(process::MemoryPlan::page);
    std::int64_t fresh = 0;
    for (std::uint64_t p = address / page; p * page < address + unsigned_of(n); ++p) {
      const auto known = at_.find(p);
      if (known == at_.end()) {
        ++fresh;
        used_.push_back(p);
        at_.emplace(p, std::prev(used_.end()));
      } else {
        used_.splice(used_.end(), used_, known->second);
      }
    }
    for (; static_cast<std::int64_t>(used_.size()) > most_; used_.pop_front()) at_.erase(used_.front());
    return fresh;
  }
  std::int64_t pages() const { return static_cast<std::int64_t>(used_.size()); }

 private:
  std::int64_t most_;
  std::list<std::uint64_t> used_;                                             // the one used longest ago first
  std::unordered_map<std::uint64_t, std::list<std::uint64_t>::iterator> at_;  // looked up only
};

}  // namespace tsunagi::protocols
