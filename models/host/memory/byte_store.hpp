// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "flow/contents.hpp"
#include "flow/ring.hpp"

namespace tsunagi::host {

/// Who wrote bytes, and since when they can be seen.
struct Mark {
  Time since;
  std::uint64_t writer = 0;  // packet; 0: nobody
  int hops = 0;              // cables that it had crossed
};

/// Some bytes of a memory, from `begin` to before `end`.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool touches(const ByteRange& o) const { return begin < o.end && o.begin < end; }
};

/// The bytes of a memory that packets with contents wrote, and nothing of the rest: sparse, by lines of 64 B. A write
/// without contents leaves what is kept as it is: it says nothing. A write waits until somebody settles it; reads can
/// find it before. All of host memory, GPU memory and a chip's memory keep their bytes here.
class ByteStore {
 public:
  /// Which of two writes that can be seen from the same time on comes later: the one that was told later, or (where
  /// they come by several ports, told in no particular order) the one with the larger number; then nothing depends on
  /// that order.
  enum class Ties : std::uint8_t { by_order, by_number };
  explicit ByteStore(Ties ties = Ties::by_order) : ties_(ties) {}

  /// A write of `bytes` (at most 4 KiB, the first and the last of which say something) to `address`, which can be seen
  /// from `mark.since` on, before which time nobody has settled anything.
  void write(std::uint64_t address, flow::ByteView bytes, const Mark& mark);
  /// Writes that wait, and from when on the first of them can be seen.
  bool waits() const { return !waiting_.empty(); }
  Time next() const { return waiting_.front().when; }
  /// `bytes` (at most 4 KiB, the first and the last of which say something) have always been at `address`, where nobody
  /// has looked yet; what waits stays so.
  void preset(std::uint64_t address, flow::ByteView bytes);
  /// Settles the first of them; returns its place.
  ByteRange settle_one();
  /// Settles those that can be seen before `t`.
  void settle(Time t) {
    while (waits() && next() < t) settle_one();
  }

  /// Whether any byte of these is kept, or will be.
  bool has(ByteRange r) const { return !kept(r, Time::max()).empty; }
  /// What a read of `r` finds: the kept bytes, where data byte 0 is the first of `r`; none if none is kept. Of writes
  /// that wait those that can be seen before `t`. The sight is that of the newest. Throws std::logic_error if there are
  /// more than 4 KiB between the first and the last.
  flow::Contents read(flow::ContentsPool& pool, ByteRange r, Time t = Time::max()) const;

  // Of what has been settled:
  /// Keeps those bytes no longer.
  void forget(ByteRange r);
  /// The number that the bytes (at most 8) say, the first one its lowest byte.
  std::uint64_t word(ByteRange r) const;
  /// Who wrote the newest of them; kept by words of eight bytes.
  Mark mark(ByteRange r) const;
  /// Copies them; 0 where nothing is kept.
  void copy(ByteRange r, std::uint8_t* to) const;

 private:
  static constexpr std::uint64_t line_size = 64;
  static constexpr std::uint64_t page_size = 4096;
  /// Most lines have been written by one packet, or have always been there: these need no mark a word.
  class Marks {
   public:
    /// `mark` for the words that have a bit set in `words`.
    void set(std::uint8_t words, const Mark& mark);
    /// The newest of the words from `first` to `last` that anybody has written, if it is not older than `newest`.
    void newest(std::uint64_t first, std::uint64_t last, Mark& newest) const;

   private:
    using Each = std::array<Mark, line_size / 8>;
    Mark one_;                    // of these, without `each_`:
    std::uint8_t words_ = 0;      // a bit a word
    std::unique_ptr<Each> each_;  // once they differ
  };
  struct Line {
    std::array<std::uint8_t, line_size> bytes{};
    std::uint64_t known = 0;  // a bit a byte
    Marks marks;
  };
  struct Page {
    std::array<std::unique_ptr<Line>, page_size / line_size> lines;
  };
  struct Waiting {
    Time when;
    ByteRange range;
    Mark mark;
    flow::Contents bytes;
  };
  struct Kept {
    ByteRange range;
    bool empty = true;
  };
  Kept kept(ByteRange r, Time t) const;
  bool behind(const Waiting& a, const Waiting& b) const;
  Line& line_at(std::uint64_t address);
  void keep(ByteRange r, flow::ByteView bytes, const Mark& mark);
  /// Calls `f(line's address, line, part of r in it)` for each line that there is.
  template <class F>
  void each_line(ByteRange r, F f) const;

  Ties ties_;
  flow::ContentsPool pool_;  // outlives what waits
  flow::Ring<Waiting> waiting_;
  std::unordered_map<std::uint64_t, Page> pages_;  // by number; looked up only, never walked
  ByteRange all_{~std::uint64_t{0}, 0};            // around all bytes that were ever written
};

}  // namespace tsunagi::host
