// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "units/bytes.hpp"

namespace tsunagi::process {

/// A piece of a node's memory that a driver keeps.
struct Area {
  std::string name;
  std::uint64_t base = 0;
  Bytes size;
};

/// What drivers keep of a memory: named areas, handed out from its end down, so that programs find what is left in one
/// piece below them. Where an area lies follows from its size and from those taken before it. Areas that do not fit
/// are noted, too, so that one message can name them all: ask for `refusal` before an address is used.
class MemoryPlan {
 public:
  /// Areas are whole pages unless said otherwise.
  static constexpr Bytes page = 4_KiB;

  /// Of the addresses base .. end - 1; base <= end <= 2^62.
  MemoryPlan(std::uint64_t base, std::uint64_t end);

  /// The next area, of `size` bytes (>= 0, all areas together at most 2^62), at the highest multiple of `alignment` (a
  /// power of two) that leaves room for it.
  Area take(const std::string& name, Bytes size, Bytes alignment = page);

  /// In the order in which they were taken: downwards.
  const std::vector<Area>& areas() const { return areas_; }
  /// From the lowest area to the end, gaps between them included.
  Bytes kept() const { return Bytes(end_ - lowest_); }
  /// What programs may use, from the base on; zero if the areas do not fit.
  Bytes left() const { return lowest_ > base_ ? Bytes(lowest_ - base_) : Bytes::zero(); }
  /// Where that ends and the lowest area begins.
  std::uint64_t lowest() const { return static_cast<std::uint64_t>(lowest_); }
  /// Why less than `least` bytes are left, with the areas; empty if so many are left and all areas fit.
  std::string refusal(Bytes least = Bytes::zero()) const;

 private:
  // Signed: areas that do not fit end up below 0.
  std::int64_t base_;
  std::int64_t end_;
  std::int64_t lowest_;
  std::vector<Area> areas_;
};

/// Equally long words, one behind the other.
struct WordRow {
  std::uint64_t first = 0;  // offset of the first
  Bytes each;
  std::uint64_t at(int i) const { return first + unsigned_of(each) * static_cast<std::uint64_t>(i); }
};

/// Words that a driver keeps, in an area that is as large as they need: offsets from its beginning upwards.
class WordPlan {
 public:
  static constexpr Bytes line = 64_B;  // of the caches

  /// The next `count` words of `each` bytes, behind those before; each begins at a multiple of 8 bytes.
  WordRow take(int count, Bytes each = 8_B);
  /// What follows begins on a cache line of its own: who writes it does not disturb who polls what lies before it.
  void next_line() { used_ = line * units_of(used_, line); }
  /// Bytes that the words take.
  Bytes used() const { return used_; }
  /// In whole pages: what an area needs.
  Bytes pages() const { return MemoryPlan::page * units_of(used_, MemoryPlan::page); }

 private:
  Bytes used_;
};

}  // namespace tsunagi::process
