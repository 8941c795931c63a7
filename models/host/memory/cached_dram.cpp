// SPDX-License-Identifier: Apache-2.0
#include "models/host/memory/cached_dram.hpp"

#include <algorithm>

namespace tsunagi::host {

namespace {

constexpr std::uint64_t line_size = LastLevelCache::line;

}  // namespace

Time CachedDram::carry(Time at) {
  if (at > free_) {
    free_ = at;
    owed_ = {};
  }
  const Time begin = free_;
  free_ += config_.dram_rate.time(Bytes(line_size), owed_);
  return begin + config_.dram_latency;
}

Time CachedDram::read(std::uint64_t address, Bytes n, Time at) {
  Time done = at;
  const std::uint64_t end = address + unsigned_of(n);
  for (std::uint64_t number = address / line_size; number * line_size < end; ++number) {
    const LastLevelCache::Line* l = cache_.read(number);
    done = std::max(done, l != nullptr ? l->ready : carry(at));
  }
  return done;
}

Time CachedDram::write(std::uint64_t address, Bytes n, Time at, Agent by) {
  Time done = at;
  const std::uint64_t end = address + unsigned_of(n);
  for (std::uint64_t number = address / line_size; number * line_size < end; ++number) {
    const bool whole = number * line_size >= address && (number + 1) * line_size <= end;
    done = std::max(done, by == Agent::far_card
                              ? write_through(number, whole, at)
                              : write_line(number, whole, at, by == Agent::card ? WarmedBy::device : WarmedBy::host));
  }
  return done;
}

Time CachedDram::write_line(std::uint64_t number, bool whole, Time at, WarmedBy by) {
  const LastLevelCache::Written w = cache_.write(number, by);
  if (w.hit) return w.line->ready = std::max(at, w.line->ready);
  Time ready = at;
  if (!whole) ready = std::max(ready, carry(at));
  if (w.evicts) ready = std::max(ready, carry(at));
  return w.line->ready = ready;
}

Time CachedDram::write_through(std::uint64_t number, bool whole, Time at) {
  cache_.drop(number);
  const Time merged = whole ? at : carry(at);
  return std::max(merged, carry(at));
}

void CachedDram::warm(std::uint64_t address, Bytes n, WarmedBy by) {
  const std::uint64_t end = address + unsigned_of(n);
  for (std::uint64_t number = address / line_size; number * line_size < end; ++number)
    cache_.write(number, by).line->ready = Time::zero();
}

}  // namespace tsunagi::host
