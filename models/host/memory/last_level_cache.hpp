// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "config/describe.hpp"

namespace tsunagi::host {

/// Which line of a set makes room for another one.
enum class Replacement : std::uint8_t { lru, not_recently_used };

/// A socket's last-level cache and the DRAM behind it; of 0 B: there is none, every access takes as long as a hit.
struct LastLevelCacheConfig {
  Bytes size;
  int ways = 20;
  int device_ways = 2;
  Replacement replacement = Replacement::lru;
  Time dram_latency;
  Rate dram_rate = Rate::infinite();
};
void describe(LastLevelCacheConfig& c, config::Describer& d);

/// Who brought lines into the cache.
enum class WarmedBy : std::uint8_t { host, device };

/// Which lines of 64 B a socket has in its last-level cache. The set is the line's number modulo the sets (Xeons spread
/// lines over slices by a hash of all address bits, which fills sets as evenly). A line that is read or written becomes
/// the most recently used of its set. A read brings nothing in (I/O reads do not allocate); a write updates its line
/// wherever it is, or allocates: a host's in any way, a device's in the first `device_ways` of the set (Data Direct
/// I/O). A way without a line goes first; then
///  - lru: the one that was used least recently of those that may be taken;
///  - not_recently_used: the first one of those that may be taken whose mark is not set. A use sets a line's mark, and
///    takes the marks of the others away when thereby all ways of the set would be marked; where all that may be taken
///    are marked, they lose their marks first.
/// Keeps no bytes, and takes memory for what is written.
class LastLevelCache {
 public:
  static constexpr std::uint64_t line = 64;

  /// `c.size` is a multiple of `c.ways` lines, and not 0.
  explicit LastLevelCache(const LastLevelCacheConfig& c);

  struct Line {
    std::uint64_t number = nothing;
    std::uint64_t used = 0;  // lru: the larger the more recently; not_recently_used: the mark
    Time ready;              // when its bytes are there
    bool dirty = false;
  };
  /// The line of that number, used thereby, or null.
  Line* read(std::uint64_t number);
  struct Written {
    Line* line;
    bool hit;
    bool evicts;  // a dirty line, which goes to DRAM
  };
  Written write(std::uint64_t number, WarmedBy by);
  /// The line is no longer here; it goes nowhere.
  void drop(std::uint64_t number);
  /// Nothing of what is asked for later is here: every way has some dirty line that nobody asks for, as after writes
  /// of a core all over a memory much larger than the cache.
  void make_cold();

 private:
  static constexpr std::uint64_t nothing = ~std::uint64_t{0};
  using Set = std::unique_ptr<Line[]>;
  Line* find(std::uint64_t number);
  Set& set_of(std::uint64_t number) { return sets_[number % count_]; }
  Line& victim(Set& set, int ways) const;
  void use(Set& set, Line& l);

  std::uint64_t count_;  // of sets
  int ways_;
  int device_ways_;
  Replacement replacement_;
  bool others_dirty_ = false;  // ways without a line have one that nobody asks for
  std::uint64_t uses_ = 0;
  std::vector<Set> sets_;  // none before the first write
};

}  // namespace tsunagi::host
