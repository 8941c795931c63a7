// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "sweep/plan/point.hpp"

namespace tsunagi::sweep {

/// Finds axes along which nothing changes: whatever the other axes' values, all rows are the same at all of its own.
/// Keeps what it has to compare of an axis until a change is seen.
class IdleAxes {
 public:
  /// A point and the digest of its rows.
  void take(const std::vector<Coordinate>& coordinates, const std::string& digest);
  /// Their names, in order; an axis of one value, or one that never moves alone (in a zip), is none.
  std::vector<std::string> names() const;

 private:
  struct Seen {
    std::string digest;
    std::string value;  // of the axis, at which it was seen first
  };
  struct Axis {
    std::string name;
    bool moves = false;                // the rows
    bool compared = false;             // two values of it
    std::map<std::string, Seen> seen;  // by the values of all others
  };
  std::vector<Axis> axes_;
};

}  // namespace tsunagi::sweep
