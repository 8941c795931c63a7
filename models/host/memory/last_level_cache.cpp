// SPDX-License-Identifier: Apache-2.0
#include "models/host/memory/last_level_cache.hpp"

#include <algorithm>
#include <stdexcept>

namespace tsunagi::host {

void describe(LastLevelCacheConfig& c, config::Describer& d) {
  using namespace config;
  d.field("size", c.size, "bytes of it; 0 B: no cache is modelled, and none of the other fields counts",
          within(0_B, 1_GiB));
  d.field("ways", c.ways, "lines of 64 B in a set", within(1, 1024));
  d.field("device_ways", c.device_ways, "of these, those in which writes of this socket's devices allocate (DDIO)",
          within(1, 1024));
  d.choice("replacement", c.replacement,
           {{"lru", static_cast<std::int64_t>(Replacement::lru), "the least recently used line of a set"},
            {"not_recently_used", static_cast<std::int64_t>(Replacement::not_recently_used),
             "the first one that has no mark of recent use"}},
           "which line makes room for another");
  d.field("dram_latency", c.dram_latency,
          "what a read takes beside \"read_latency\" for lines that are not in it, and a write that needs the rest of "
          "its line, or the place of a dirty one",
          at_most(10_us), ideal(0_ns));
  d.field("dram_rate", c.dram_rate, "bytes a second that DRAM reads and writes in all",
          at_least(Rate::bytes_per_second(1'000'000)), ideal(Rate::infinite()));
  d.require(c.size.count() % (64 * std::max(c.ways, 1)) == 0, "\"size\" must be a multiple of \"ways\" lines of 64 B");
  d.require(c.device_ways <= c.ways, "\"device_ways\" must not be above \"ways\"");
}

LastLevelCache::LastLevelCache(const LastLevelCacheConfig& c)
    : count_(unsigned_of(c.size) / line / static_cast<std::uint64_t>(c.ways)),
      ways_(c.ways),
      device_ways_(c.device_ways),
      replacement_(c.replacement) {
  if (count_ == 0) throw std::logic_error("a last-level cache without a set");
}

LastLevelCache::Line* LastLevelCache::find(std::uint64_t number) {
  if (sets_.empty() || !set_of(number)) return nullptr;
  const Set& set = set_of(number);
  Line* found = std::find_if(&set[0], &set[0] + ways_, [&](const Line& l) { return l.number == number; });
  return found == &set[0] + ways_ ? nullptr : found;
}

void LastLevelCache::use(Set& set, Line& l) {
  if (replacement_ == Replacement::lru) {
    l.used = ++uses_;
    return;
  }
  l.used = 1;
  if (std::all_of(&set[0], &set[0] + ways_, [](const Line& other) { return other.used != 0; }))
    for (Line* other = &set[0]; other != &set[0] + ways_; ++other) other->used = other == &l ? 1 : 0;
}

LastLevelCache::Line& LastLevelCache::victim(Set& set, int ways) const {
  Line* const end = &set[0] + ways;
  Line* const empty = std::find_if(&set[0], end, [](const Line& l) { return l.number == nothing; });
  if (empty != end) return *empty;
  if (replacement_ == Replacement::not_recently_used &&
      std::all_of(&set[0], end, [](const Line& l) { return l.used != 0; }))
    std::for_each(&set[0], end, [](Line& l) { l.used = 0; });
  return *std::min_element(&set[0], end, [](const Line& a, const Line& b) { return a.used < b.used; });
}

LastLevelCache::Line* LastLevelCache::read(std::uint64_t number) {
  Line* l = find(number);
  if (l != nullptr) use(set_of(number), *l);
  return l;
}

LastLevelCache::Written LastLevelCache::write(std::uint64_t number, WarmedBy by) {
  if (sets_.empty()) sets_.resize(count_);
  Set& set = set_of(number);
  if (!set) {
    set = std::make_unique<Line[]>(static_cast<std::size_t>(ways_));
    std::for_each(&set[0], &set[0] + ways_, [&](Line& l) { l.dirty = others_dirty_; });
  }
  Line* l = find(number);
  const bool hit = l != nullptr;
  if (!hit) l = &victim(set, by == WarmedBy::device ? device_ways_ : ways_);
  const bool evicts = !hit && l->dirty;
  l->number = number;
  l->dirty = true;
  use(set, *l);
  return {l, hit, evicts};
}

void LastLevelCache::drop(std::uint64_t number) {
  if (Line* l = find(number); l != nullptr) *l = {};
}

void LastLevelCache::make_cold() {
  for (Set& set : sets_) set.reset();
  others_dirty_ = true;
}

}  // namespace tsunagi::host
