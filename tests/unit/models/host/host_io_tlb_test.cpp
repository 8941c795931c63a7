// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <random>

#include "models/host/io_tlb.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace host_io_tlb_test {

using namespace tsunagi;
using host::IommuConfig;
using host::IoTlb;

namespace {

constexpr std::uint64_t page = 4096;
constexpr Time walk = 200_ns;

IommuConfig config(int entries, int ways = 0, int walkers = 1) {
  IommuConfig c;
  c.entries = entries;
  c.ways = ways;
  c.walk_reads = 4;
  c.walk_read_latency = 50_ns;
  c.walkers = walkers;
  return c;
}

/// Steps from event to event: every walk has a state, every page a time of last use.
class Model {
 public:
  explicit Model(const IommuConfig& c)
      : entries_(c.entries), ways_(c.ways == 0 ? c.entries : c.ways), idle_(c.walkers) {}
  Time translated(std::uint64_t p, Time now) {
    advance(now);
    if (known_.count(p) != 0) {
      known_[p] = ++uses_;
      return now;
    }
    if (std::none_of(walks_.begin(), walks_.end(), [&](const Walk& w) { return w.page == p; }))
      walks_.push_back({p, {}, false});
    start(now);
    // Run a copy of it on until the page is there.
    Model later = *this;
    while (later.known_.count(p) == 0 || later.learnt_[p] < now) later.next();
    return later.learnt_[p];
  }

 private:
  struct Walk {
    std::uint64_t page;
    Time end;
    bool runs;
  };
  void start(Time now) {
    for (Walk& w : walks_)
      if (!w.runs && idle_ > 0) {
        --idle_;
        w.runs = true;
        w.end = now + walk;
      }
  }
  void next() {
    const auto first = std::min_element(walks_.begin(), walks_.end(), [](const Walk& a, const Walk& b) {
      return a.runs != b.runs ? a.runs : a.runs && a.end < b.end;
    });
    const Walk done = *first;
    walks_.erase(first);
    ++idle_;
    const auto set = [&](std::uint64_t p) { return p % static_cast<std::uint64_t>(entries_ / ways_); };
    std::vector<std::pair<std::uint64_t, std::uint64_t>> same;  // use, page
    for (const auto& [p, used] : known_)
      if (set(p) == set(done.page)) same.emplace_back(used, p);
    if (static_cast<int>(same.size()) == ways_) known_.erase(std::min_element(same.begin(), same.end())->second);
    known_[done.page] = ++uses_;
    learnt_[done.page] = done.end;
    start(done.end);
  }
  void advance(Time now) {
    while (std::any_of(walks_.begin(), walks_.end(), [&](const Walk& w) { return w.runs && w.end <= now; })) next();
  }
  int entries_;
  int ways_;
  int idle_;
  std::uint64_t uses_ = 0;
  std::map<std::uint64_t, std::uint64_t> known_;
  std::map<std::uint64_t, Time> learnt_;
  std::vector<Walk> walks_;
};

}  // namespace

TEST_CASE("an IO-TLB translates as a model of it does") {
  std::mt19937 random(11);
  for (const IommuConfig& c : {config(4), config(8, 2, 2), config(6, 2, 3), config(1), config(16, 1, 4)}) {
    IoTlb tlb(c);
    Model m(c);
    Time now;
    for (int i = 0; i < 5000; ++i) {
      if (random() % 3 != 0) now += 1_ns * static_cast<std::int64_t>(random() % 150);
      if (random() % 50 == 0) now += 50_ns - Time::from_fs(now.fs() % (50_ns).fs());
      const std::uint64_t p = random() % static_cast<unsigned>(2 * c.entries + 1);
      CAPTURE(c.entries, c.ways, c.walkers, i, now, p);
      REQUIRE(tlb.translated(p * page + random() % page, now) == m.translated(p, now));
    }
  }
}

TEST_CASE("as many pages as there are entries are walked once and one more always") {
  IoTlb tlb(config(64));
  Time now;
  const auto misses = [&](std::uint64_t pages) {
    int n = 0;
    for (std::uint64_t p = 0; p < pages; ++p) {
      const Time ready = tlb.translated(p * page + page - 1, now);
      n += ready > now ? 1 : 0;
      now = ready;
    }
    return n;
  };
  CHECK(misses(64) == 64);
  CHECK(misses(64) == 0);
  misses(65);
  CHECK(misses(65) == 65);
}

TEST_CASE("a walk under way is shared and further walks wait for a walker") {
  IoTlb tlb(config(64, 0, 2));
  CHECK(tlb.translated(0, 0_ns) == walk);
  CHECK(tlb.translated(page, 10_ns) == 10_ns + walk);
  CHECK(tlb.translated(2 * page, 20_ns) == 2 * walk);
  CHECK(tlb.translated(3 * page, 20_ns) == 10_ns + 2 * walk);
  CHECK(tlb.translated(64, 30_ns) == walk);
  CHECK(tlb.translated(2 * page + 8, 199_ns) == 2 * walk);
  CHECK(tlb.translated(0, walk - 1_fs) == walk);
  CHECK(tlb.translated(0, walk) == walk);
  CHECK(tlb.translated(0, 250_ns) == 250_ns);
}

TEST_CASE("larger pages reach further") {
  IommuConfig c = config(2);
  c.page_size = 2_MiB;
  IoTlb tlb(c);
  CHECK(tlb.translated(0, 0_ns) == walk);
  CHECK(tlb.translated((2 << 20) - 1, 300_ns) == 300_ns);
  CHECK(tlb.translated(2 << 20, 300_ns) == 300_ns + walk);
}

}  // namespace host_io_tlb_test
