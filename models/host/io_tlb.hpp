// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "config/describe.hpp"
#include "flow/ring.hpp"

namespace tsunagi::host {

/// What a root complex translates devices' addresses with; with 0 entries it does not.
struct IommuConfig {
  int entries = 0;
  int ways = 0;
  Bytes page_size = 4_KiB;
  int walk_reads = 4;
  Time walk_read_latency;
  int walkers = 1;
};
void describe(IommuConfig& c, config::Describer& d);

/// Which pages' translations an IOMMU has, and when it has walked the page table for others. A walk that has ended puts
/// its page in the place of the least recently used one of its set (page number modulo the sets). Walks begin in the
/// order in which they are asked for, as soon as a walker is free. Whoever asks for a page whose walk is under way, or
/// waits for a walker, gets that one's translation. Identity maps: no address changes. (Intel, "Virtualization
/// Technology for Directed I/O": tables of pages, caching of translations; what it leaves open is assumed.)
class IoTlb {
 public:
  /// `c.entries` is a multiple of `c.ways`, and not 0.
  explicit IoTlb(const IommuConfig& c);
  /// When the page of `address`, asked for at `now`, is translated: now, if it is known. `now` never decreases.
  Time translated(std::uint64_t address, Time now);

 private:
  static constexpr std::uint64_t nothing = ~std::uint64_t{0};
  struct Entry {
    std::uint64_t page = nothing;
    std::uint64_t used = 0;  // the larger the more recently
  };
  struct Walk {
    std::uint64_t page = 0;
    Time end;
  };
  Entry* set_of(std::uint64_t page) { return &entries_[page % sets_ * ways_]; }
  /// Takes in what has been walked by `now`.
  void settle(Time now);

  std::uint64_t page_size_;
  Time walk_;
  std::uint64_t ways_;
  std::uint64_t sets_;
  std::uint64_t uses_ = 0;
  std::vector<Entry> entries_;
  flow::Ring<Walk> walks_;    // under way or waiting, by their ends
  flow::Ring<Time> walkers_;  // when each is free, the first one that is first
};

}  // namespace tsunagi::host
