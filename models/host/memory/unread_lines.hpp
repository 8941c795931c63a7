// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/icl/interval_set.hpp>
#include <cstdint>
#include <vector>

#include "units/bytes.hpp"
#include "units/time.hpp"

namespace tsunagi::host {

/// Lines of 64 B of a memory that packets have written and no core has read since: where cards write past the caches,
/// the next core that reads one gets it from DRAM. A write may be told before it can be seen, as to a LineCache.
class UnreadLines {
 public:
  static constexpr Bytes line = Bytes(64);

  /// A packet writes `n` bytes from `address` on, which can be seen from `when` on.
  void written(std::uint64_t address, Bytes n, Time when, Time now);
  /// A core has all lines of `n` bytes from `address` on from `now` on. Returns how many of them were unread. `now`
  /// never decreases from call to call.
  std::int64_t read(std::uint64_t address, Bytes n, Time now);

 private:
  using Lines = boost::icl::interval_set<std::uint64_t>;
  struct Write {
    Lines::interval_type lines;
    Time when;
  };
  static Lines::interval_type lines_of(std::uint64_t address, Bytes n);
  /// Applies the writes that can be seen at `now`.
  void settle(Time now);

  Lines unread_;
  std::vector<Write> waiting_;
};

}  // namespace tsunagi::host
