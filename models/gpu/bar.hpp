// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "units/bytes.hpp"

namespace tsunagi::gpu {

/// Which pages of a GPU's memory its BAR window shows, and where (GPUDirect RDMA: memory is pinned into the window by
/// whole pages; everything else cannot be reached from the bus).
class BarMap {
 public:
  /// Both sizes are multiples of `page`.
  BarMap(Bytes memory, Bytes window, Bytes page) : memory_(memory), window_(window), page_(page) {}

  /// Shows the pages that hold `size` bytes from `offset` of the memory on, one after the other; returns the place of
  /// `offset` in the window. What is shown already stays where it is, and grows where what is asked for goes on behind
  /// it. Throws std::runtime_error if the bytes are not all in the memory or the window has no room left.
  std::uint64_t pin(Bytes offset, Bytes size);
  /// The place in memory that `at` in the window shows; none: no page is pinned there.
  std::optional<std::uint64_t> memory_at(std::uint64_t at) const;
  /// Bytes of the window in use.
  Bytes pinned() const { return used_; }

 private:
  struct Range {
    Bytes memory;  // first byte, in memory and in the window
    Bytes window;
    Bytes size;
  };
  Bytes memory_;
  Bytes window_;
  Bytes page_;
  Bytes used_;
  std::vector<Range> ranges_;
};

}  // namespace tsunagi::gpu
