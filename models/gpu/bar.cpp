// SPDX-License-Identifier: Apache-2.0
#include "models/gpu/bar.hpp"

#include <stdexcept>

#include "units/parse.hpp"

namespace tsunagi::gpu {

std::uint64_t BarMap::pin(Bytes offset, Bytes size) {
  if (offset < Bytes::zero() || size <= Bytes::zero() || offset > memory_ || size > memory_ - offset)
    throw std::runtime_error("bytes " + to_string(offset) + " to " + to_string(offset + size) +
                             " are not in the memory of " + to_string(memory_));
  const Bytes first = page_ * (offset / page_);
  const Bytes pages = page_ * units_of(offset + size - first, page_);
  for (const Range& r : ranges_)
    if (r.memory <= first && first + pages <= r.memory + r.size)
      return static_cast<std::uint64_t>((r.window + (offset - r.memory)).count());
  // What goes on where the last range ends, or before, makes that one longer.
  const bool longer =
      !ranges_.empty() && ranges_.back().memory <= first && first <= ranges_.back().memory + ranges_.back().size;
  const Bytes more = longer ? first + pages - (ranges_.back().memory + ranges_.back().size) : pages;
  if (more > window_ - used_)
    throw std::runtime_error("the BAR window of " + to_string(window_) + " is full: " + to_string(used_) +
                             " are pinned, " + to_string(more) + " more are asked for");
  if (longer)
    ranges_.back().size += more;
  else
    ranges_.push_back({first, used_, more});
  used_ += more;
  return static_cast<std::uint64_t>((ranges_.back().window + (offset - ranges_.back().memory)).count());
}

std::optional<std::uint64_t> BarMap::memory_at(std::uint64_t at) const {
  for (const Range& r : ranges_) {
    const std::uint64_t in = at - static_cast<std::uint64_t>(r.window.count());
    if (in < static_cast<std::uint64_t>(r.size.count())) return static_cast<std::uint64_t>(r.memory.count()) + in;
  }
  return std::nullopt;
}

}  // namespace tsunagi::gpu
