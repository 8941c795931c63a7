// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <list>
#include <map>
#include <random>

#include "models/host/memory/last_level_cache.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace host_last_level_cache_test {

using namespace tsunagi;
using host::LastLevelCache;
using host::LastLevelCacheConfig;
using host::Replacement;
using host::WarmedBy;

namespace {

LastLevelCacheConfig config(int sets, int ways, int device_ways, Replacement r = Replacement::lru) {
  LastLevelCacheConfig c;
  c.size = 64_B * (sets * ways);
  c.ways = ways;
  c.device_ways = device_ways;
  c.replacement = r;
  return c;
}

/// A set as a list of ways: written down from the words of the class's description, not from its code.
class Model {
 public:
  Model(int sets, int ways, int device_ways, bool lru)
      : lru_(lru), device_ways_(device_ways), sets_(static_cast<std::size_t>(sets)) {
    for (auto& s : sets_) s.ways.resize(static_cast<std::size_t>(ways));
  }
  bool read(std::uint64_t n) {
    Set& s = sets_[n % sets_.size()];
    for (std::size_t i = 0; i < s.ways.size(); ++i)
      if (s.ways[i].valid && s.ways[i].number == n) return used(s, i), true;
    return false;
  }
  struct Written {
    bool hit, evicts;
  };
  Written write(std::uint64_t n, bool device) {
    Set& s = sets_[n % sets_.size()];
    if (read(n)) {
      for (Way& w : s.ways)
        if (w.valid && w.number == n) w.dirty = true;
      return {true, false};
    }
    const std::size_t may = device ? static_cast<std::size_t>(device_ways_) : s.ways.size();
    const std::size_t i = choose(s, may);
    const bool evicts = s.ways[i].dirty;
    s.ways[i] = {true, true, s.ways[i].mark, n};
    used(s, i);
    return {false, evicts};
  }
  void drop(std::uint64_t n) {
    Set& s = sets_[n % sets_.size()];
    for (std::size_t i = 0; i < s.ways.size(); ++i)
      if (s.ways[i].valid && s.ways[i].number == n) {
        s.ways[i] = {};
        s.order.remove(i);
      }
  }
  void make_cold() {
    for (Set& s : sets_) {
      for (Way& w : s.ways) w = {false, true, false, 0};
      s.order.clear();
    }
  }

 private:
  struct Way {
    bool valid = false, dirty = false, mark = false;
    std::uint64_t number = 0;
  };
  struct Set {
    std::vector<Way> ways;
    std::list<std::size_t> order;  // of use, the oldest first
  };
  void used(Set& s, std::size_t i) {
    s.order.remove(i);
    s.order.push_back(i);
    s.ways[i].mark = true;
    if (std::all_of(s.ways.begin(), s.ways.end(), [](const Way& w) { return w.mark; }))
      for (std::size_t k = 0; k < s.ways.size(); ++k) s.ways[k].mark = k == i;
  }
  std::size_t choose(Set& s, std::size_t may) const {
    for (std::size_t i = 0; i < may; ++i)
      if (!s.ways[i].valid) return i;
    if (lru_) {
      for (const std::size_t i : s.order)
        if (i < may) return i;
    }
    for (std::size_t i = 0; i < may; ++i)
      if (!s.ways[i].mark) return i;
    for (std::size_t i = 0; i < may; ++i) s.ways[i].mark = false;
    return 0;
  }
  bool lru_;
  int device_ways_;
  std::vector<Set> sets_;
};

/// Whether all `n` lines from line `first` on are in the cache; asks by reads.
int hits(LastLevelCache& c, std::uint64_t first, int n) {
  int found = 0;
  for (int i = 0; i < n; ++i) found += c.read(first + static_cast<std::uint64_t>(i)) != nullptr ? 1 : 0;
  return found;
}

void write_all(LastLevelCache& c, std::uint64_t first, int n, WarmedBy by) {
  for (int i = 0; i < n; ++i) c.write(first + static_cast<std::uint64_t>(i), by);
}

void expect_like_model(Replacement r) {
  std::mt19937 random(7);
  for (const auto& [sets, ways, device] : {std::array<int, 3>{3, 5, 2}, {1, 4, 4}, {4, 1, 1}, {2, 20, 2}, {5, 3, 1}}) {
    LastLevelCache c(config(sets, ways, device, r));
    Model m(sets, ways, device, r == Replacement::lru);
    for (int i = 0; i < 20000; ++i) {
      const std::uint64_t n = random() % static_cast<unsigned>(2 * sets * ways);
      const unsigned what = random() % 100;
      CAPTURE(sets, ways, i, n, what);
      if (what < 40) {
        REQUIRE((c.read(n) != nullptr) == m.read(n));
      } else if (what < 98) {
        const bool by_device = what < 80;
        const auto w = c.write(n, by_device ? WarmedBy::device : WarmedBy::host);
        const auto expected = m.write(n, by_device);
        REQUIRE(w.hit == expected.hit);
        REQUIRE(w.evicts == expected.evicts);
        REQUIRE(w.line->number == n);
      } else if (what < 99 || i % 10 != 0) {
        c.drop(n);
        m.drop(n);
      } else {
        c.make_cold();
        m.make_cold();
      }
    }
  }
}

}  // namespace

TEST_CASE("a last-level cache that replaces the least recently used line is as a model of it") {
  expect_like_model(Replacement::lru);
}

TEST_CASE("a last-level cache that replaces by marks is as a model of it") {
  expect_like_model(Replacement::not_recently_used);
}

TEST_CASE("a device's writes stay in its ways and a host's go anywhere") {
  LastLevelCache c(config(16, 20, 2));
  write_all(c, 0, 32, WarmedBy::device);
  CHECK(hits(c, 0, 32) == 32);
  write_all(c, 1000 * 16, 33, WarmedBy::device);  // one more than their share
  CHECK(hits(c, 1000 * 16, 33) == 32);
  CHECK(hits(c, 0, 32) == 0);
  c.make_cold();
  write_all(c, 0, 320, WarmedBy::host);
  CHECK(hits(c, 0, 320) == 320);
  write_all(c, 0, 320, WarmedBy::device);  // where they are
  CHECK(hits(c, 0, 320) == 320);
}

TEST_CASE("a window of one line more than the cache loses one line of one set at a time") {
  LastLevelCache c(config(16, 20, 2));
  write_all(c, 0, 321, WarmedBy::host);
  CHECK(hits(c, 0, 321) == 320);
}

TEST_CASE("a read brings nothing in and keeps what it finds from going") {
  LastLevelCache c(config(1, 2, 2));
  CHECK(c.read(5) == nullptr);
  CHECK(c.read(5) == nullptr);
  c.write(1, WarmedBy::device);
  c.write(2, WarmedBy::device);
  CHECK(c.read(1) != nullptr);
  c.write(3, WarmedBy::device);
  CHECK(c.read(1) != nullptr);
  CHECK(c.read(2) == nullptr);
}

TEST_CASE("what makes room for a line is dirty unless the cache was empty") {
  LastLevelCache c(config(1, 2, 1));
  CHECK_FALSE(c.write(1, WarmedBy::device).evicts);
  CHECK_FALSE(c.write(1, WarmedBy::device).evicts);
  CHECK(c.write(2, WarmedBy::device).evicts);
  c.drop(2);
  CHECK_FALSE(c.write(1, WarmedBy::device).evicts);
  c.make_cold();
  CHECK(c.read(1) == nullptr);
  CHECK(c.write(1, WarmedBy::device).evicts);
  CHECK_FALSE(c.write(1, WarmedBy::device).evicts);
  CHECK(c.write(2, WarmedBy::host).evicts);
}

}  // namespace host_last_level_cache_test
