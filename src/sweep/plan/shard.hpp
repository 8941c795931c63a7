// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace tsunagi::sweep {

/// A part of a sweep's points: `number` of `count`, from 1. A point belongs to one of them by its id alone, so
/// launchers need not agree on more than the count.
struct Shard {
  std::uint64_t number = 1;
  std::uint64_t count = 1;

  /// The number of the shard of `count` that has a point. `id`: hexadecimal digits, of which the first 16 count.
  static std::uint64_t number_of(const std::string& id, std::uint64_t count) {
    return count == 1 ? 1 : std::strtoull(id.substr(0, 16).c_str(), nullptr, 16) % count + 1;
  }
  bool owns(const std::string& id) const { return number_of(id, count) == number; }
};

}  // namespace tsunagi::sweep
