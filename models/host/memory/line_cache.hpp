// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "config/describe.hpp"

namespace tsunagi::host {

/// What a core's own stores do with the lines that they meet.
enum class StorePolicy : std::uint8_t {
  around,   // as somebody else's: the line is stale
  through,  // to memory and to a line that is there, which stays; they fetch none
};

struct LineCacheConfig {
  Bytes size = 256_KiB;
  int ways = 8;
  std::int64_t hit_cycles = 12;
  Time miss = 60_ns;
  Bytes line = 64_B;
  StorePolicy stores = StorePolicy::around;
  bool polls = false;
};
void describe(LineCacheConfig& c, config::Describer& d);

/// Which lines a core has in a set-associative cache of its own, replaced by least recent use. Keeps no bytes.
/// A write by somebody else makes a line stale for who touches it later than the write can be seen; a write may be told
/// before that.
class LineCache {
 public:
  /// `size` is a multiple of `ways` lines of `line` bytes.
  LineCache(Bytes size, int ways, Bytes line = Bytes(64));
  struct Touched {
    std::int64_t hits = 0;
    std::int64_t misses = 0;
  };
  /// Touches every line of `n` bytes from `address` on, in order; those that miss are there afterwards. `now` never
  /// decreases from call to call.
  Touched touch(std::uint64_t address, Bytes n, Time now);
  /// Whether all lines of `n` bytes from `address` on are there at `now`.
  bool has(std::uint64_t address, Bytes n, Time now);
  /// The core stores `n` bytes from `address` on through it: lines that are there have been used.
  void store(std::uint64_t address, Bytes n, Time now);
  /// Somebody else writes `n` bytes from `address` on, which can be seen from `when` on.
  void written(std::uint64_t address, Bytes n, Time when, Time now);

 private:
  static constexpr std::uint64_t nothing = ~std::uint64_t{0};
  /// A line's place: where its number is kept, and when it was used, the larger the more recently. A set's numbers lie
  /// together, before those: most looks are for lines that are not there.
  struct Way {
    std::uint64_t* number = nullptr;
    std::uint64_t* used = nullptr;
    explicit operator bool() const { return number != nullptr; }
  };
  struct Write {
    std::uint64_t first;  // lines
    std::uint64_t last;
    Time when;
  };
  std::uint64_t* set_of(std::uint64_t number) {
    return &all_[(whole_sets_ != 0 ? number & whole_sets_ : number % sets_) * 2 * ways_];
  }
  std::uint64_t last_of(std::uint64_t address, Bytes n) const { return (address + unsigned_of(n) - 1) / line_; }
  Way find(std::uint64_t number);
  bool touch(std::uint64_t number);
  void drop(const Write& w);
  /// Applies the writes that could be seen before `now`.
  void settle(Time now);

  std::uint64_t line_;
  std::uint64_t ways_;
  std::uint64_t sets_;
  std::uint64_t whole_sets_;  // sets_ - 1, if they are a power of two; else 0
  std::uint64_t uses_ = 0;
  std::vector<std::uint64_t> all_;  // of each set: the numbers of its ways, and when they were used
  std::vector<Write> waiting_;
};

}  // namespace tsunagi::host
