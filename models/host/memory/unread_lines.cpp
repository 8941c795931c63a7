// SPDX-License-Identifier: Apache-2.0
#include "models/host/memory/unread_lines.hpp"

#include <algorithm>

namespace tsunagi::host {

UnreadLines::Lines::interval_type UnreadLines::lines_of(std::uint64_t address, Bytes n) {
  constexpr std::uint64_t size = unsigned_of(line);
  return Lines::interval_type::right_open(address / size, (address + unsigned_of(n) + size - 1) / size);
}

void UnreadLines::written(std::uint64_t address, Bytes n, Time when, Time now) {
  settle(now);
  if (n > Bytes::zero()) waiting_.push_back({lines_of(address, n), when});
}

std::int64_t UnreadLines::read(std::uint64_t address, Bytes n, Time now) {
  settle(now);
  if (n <= Bytes::zero()) return 0;
  const Lines::interval_type asked = lines_of(address, n);
  const Lines found = unread_ & asked;
  unread_ -= asked;
  return static_cast<std::int64_t>(found.size());
}

void UnreadLines::settle(Time now) {
  const auto over = std::partition(waiting_.begin(), waiting_.end(), [&](const Write& w) { return w.when > now; });
  for (auto w = over; w != waiting_.end(); ++w) unread_ += w->lines;
  waiting_.erase(over, waiting_.end());
}

}  // namespace tsunagi::host
