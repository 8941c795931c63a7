// SPDX-License-Identifier: Apache-2.0
#include "models/host/memory/line_cache.hpp"

#include <algorithm>
#include <stdexcept>

namespace tsunagi::host {

void describe(LineCacheConfig& c, config::Describer& d) {
  using namespace config;
  d.field("size", c.size, "bytes of it", within(64_B, 1_GiB));
  d.field("ways", c.ways, "lines of a set", within(1, 1024));
  d.field("hit_cycles", c.hit_cycles, "cycles to touch a line that is in it",
          within(std::int64_t{0}, std::int64_t{1000}), ideal(std::int64_t{0}));
  d.field("miss", c.miss, "time to touch one that is not", at_most(10_us), ideal(0_ns));
  d.field("line", c.line, "bytes of a line", within(16_B, 1_KiB));
  d.choice("stores", c.stores,
           {{"around", static_cast<std::int64_t>(StorePolicy::around), "a line that they meet is stale"},
            {"through", static_cast<std::int64_t>(StorePolicy::through),
             "to memory and to a line that is there, which stays; none is fetched for them"}},
           "what the core's own stores to memory do");
  d.field("polls", c.polls,
          "polled words go through it: one that says it at once and whose line is there costs \"hit_cycles\"");
  d.require(c.ways > 0 && c.line > Bytes::zero() && c.size.count() % (c.line.count() * c.ways) == 0,
            "\"size\" must be a multiple of \"ways\" lines");
}

LineCache::LineCache(Bytes size, int ways, Bytes line)
    : line_(unsigned_of(line)), ways_(static_cast<std::uint64_t>(ways)), sets_(unsigned_of(size) / line_ / ways_) {
  if (sets_ == 0) throw std::logic_error("a cache without a set");
  whole_sets_ = (sets_ & (sets_ - 1)) == 0 ? sets_ - 1 : 0;
  all_.resize(sets_ * 2 * ways_);
  for (std::uint64_t s = 0; s < sets_; ++s) std::fill_n(&all_[s * 2 * ways_], ways_, nothing);
}

LineCache::Touched LineCache::touch(std::uint64_t address, Bytes n, Time now) {
  settle(now);
  Touched out;
  if (n <= Bytes::zero()) return out;
  for (std::uint64_t number = address / line_; number <= last_of(address, n); ++number)
    touch(number) ? ++out.hits : ++out.misses;
  return out;
}

LineCache::Way LineCache::find(std::uint64_t number) {
  std::uint64_t* const set = set_of(number);
  std::uint64_t* const found = std::find(set, set + ways_, number);
  return found == set + ways_ ? Way{} : Way{found, found + ways_};
}

bool LineCache::touch(std::uint64_t number) {
  Way found = find(number);
  const bool hit = static_cast<bool>(found);
  if (!hit) {
    std::uint64_t* const used = set_of(number) + ways_;
    found.used = std::min_element(used, used + ways_);
    found.number = found.used - ways_;
  }
  *found.number = number;
  *found.used = ++uses_;
  return hit;
}

bool LineCache::has(std::uint64_t address, Bytes n, Time now) {
  settle(now);
  for (std::uint64_t number = address / line_; n > Bytes::zero() && number <= last_of(address, n); ++number)
    if (!find(number)) return false;
  return true;
}

void LineCache::store(std::uint64_t address, Bytes n, Time now) {
  settle(now);
  for (std::uint64_t number = address / line_; number <= last_of(address, n); ++number)
    if (const Way found = find(number)) *found.used = ++uses_;
}

void LineCache::written(std::uint64_t address, Bytes n, Time when, Time now) {
  settle(now);
  if (n > Bytes::zero()) waiting_.push_back({address / line_, last_of(address, n), when});
}

void LineCache::settle(Time now) {
  const auto over = std::partition(waiting_.begin(), waiting_.end(), [&](const Write& w) { return w.when >= now; });
  for (auto w = over; w != waiting_.end(); ++w) drop(*w);
  waiting_.erase(over, waiting_.end());
}

void LineCache::drop(const Write& w) {
  for (std::uint64_t number = w.first; number <= w.last; ++number)
    if (const Way found = find(number)) {
      *found.number = nothing;
      *found.used = 0;
    }
}

}  // namespace tsunagi::host
