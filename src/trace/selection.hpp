// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "units/time.hpp"

namespace tsunagi::trace {

/// What to trace: whose name matches one of some patterns, and what overlaps a window of time.
class Selection {
 public:
  /// Everything.
  Selection() = default;
  /// `patterns`: globs (`*` any text, `?` one character, the rest itself) separated by commas; none: every name. They
  /// are matched against whole names: "node0.peach2" a device, "node0.peach2.e > node1.peach2.w" a channel, "rank 0" a
  /// rank. Throws std::invalid_argument when `to` lies before `from`.
  explicit Selection(std::string_view patterns, Time from = Time::zero(), Time to = Time::max());

  bool place(std::string_view name) const;
  /// Whether [begin, end] and the window have a point of time in common (both with their ends).
  bool time(Time begin, Time end) const { return begin <= to_ && end >= from_; }
  Time from() const { return from_; }
  Time to() const { return to_; }

 private:
  std::vector<std::string> patterns_;
  Time from_;
  Time to_ = Time::max();
};

}  // namespace tsunagi::trace
