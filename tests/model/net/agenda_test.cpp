// SPDX-License-Identifier: Apache-2.0
// The agenda against a sorted set: what rings when, while alarms arm, re-arm, disarm and destroy each other.
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "sim/simulation.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace agenda_test {

using namespace tsunagi;

namespace {

constexpr int alarms = 40;

class Crowd {
 public:
  explicit Crowd(std::uint64_t seed) : random_(seed) {
    all_.resize(alarms);
    for (int i = 0; i < alarms; ++i) renew(i);
  }

  void run(int rings) {
    while (rang_ < rings) {
      while (agenda_.empty()) arm(any());
      agenda_.ring_due(agenda_.next());
      REQUIRE(agenda_.empty() == expected_.empty());
    }
  }
  int rang() const { return rang_; }
  int destroyed_while_armed() const { return destroyed_while_armed_; }

 private:
  struct One final : sim::Alarm {
    One(Crowd& c, int i, int r, sim::Phase p) : Alarm(p), crowd(c), index(i), rank(r) {}
    void ring() override { crowd.rang(index); }
    Crowd& crowd;
    int index;
    int rank;
  };
  /// In the order in which alarms ring: time, phase, order of first arming.
  using Entry = std::pair<Time, int>;
  int rank(int i) const { return all_[static_cast<std::size_t>(i)]->rank; }
  int any() { return static_cast<int>(random_() % alarms); }
  /// Destroys alarm `i`, and arms another in its place, which gives it its rank.
  void renew(int i) {
    std::unique_ptr<One>& a = all_[static_cast<std::size_t>(i)];
    if (a && a->armed()) {
      expected_.erase({a->time(), a->rank});
      ++destroyed_while_armed_;
    }
    a.reset();
    const int last = 1'000'000;
    a = std::make_unique<One>(*this, i, (i % 2) * last + made_++, i % 2 == 0 ? sim::Phase::arrive : sim::Phase::grant);
    arm(i);
  }

  void arm(int i) {
    sim::Alarm& a = *all_[static_cast<std::size_t>(i)];
    expected_.erase({a.time(), rank(i)});
    agenda_.arm(a, agenda_.now() + Time::from_fs(static_cast<std::int64_t>(random_() % 8)));
    expected_.insert({a.time(), rank(i)});
  }
  void disarm(int i) {
    sim::Alarm& a = *all_[static_cast<std::size_t>(i)];
    expected_.erase({a.time(), rank(i)});
    agenda_.disarm(a);
  }
  void rang(int i) {
    ++rang_;
    const Entry e{all_[static_cast<std::size_t>(i)]->time(), rank(i)};
    CHECK(e.first == agenda_.now());
    REQUIRE(!expected_.empty());
    CHECK(e == *expected_.begin());
    expected_.erase(e);
    for (auto n = random_() % 4; n > 0; --n) {
      const int other = any();
      const auto what = random_() % 10;
      if (what == 0 && other != i)
        renew(other);
      else if (what <= 2)
        disarm(other);
      else
        arm(other);
    }
  }

  std::mt19937_64 random_;
  sim::Agenda agenda_;
  std::vector<std::unique_ptr<One>> all_;
  std::set<Entry> expected_;
  int made_ = 0;
  int rang_ = 0;
  int destroyed_while_armed_ = 0;
};

}  // namespace

TEST_CASE("alarms ring by time, phase and first arming, whatever they do to each other meanwhile") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Crowd crowd(seed);
    crowd.run(2000);
    CHECK(crowd.rang() >= 2000);
    CHECK(crowd.destroyed_while_armed() > 20);
  }
}

}  // namespace agenda_test
