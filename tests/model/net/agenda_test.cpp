// SPDX-License-Identifier: Apache-2.0
// The agenda against a sorted set: what rings when, while alarms arm, re-arm and disarm each other.
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
    for (int i = 0; i < alarms; ++i)
      all_.push_back(std::make_unique<One>(*this, i, i % 2 == 0 ? sim::Phase::arrive : sim::Phase::grant));
    for (int i = 0; i < alarms; ++i) arm(i);  // gives each its rank
  }

  void run(int rings) {
    while (rang_ < rings) {
      while (agenda_.empty()) arm(any());
      agenda_.ring_due(agenda_.next());
      REQUIRE(agenda_.empty() == expected_.empty());
    }
  }
  int rang() const { return rang_; }

 private:
  struct One final : sim::Alarm {
    One(Crowd& c, int i, sim::Phase p) : Alarm(p), crowd(c), index(i) {}
    void ring() override { crowd.rang(index); }
    Crowd& crowd;
    int index;
  };
  /// In the order in which alarms ring: time, phase, order of first arming.
  using Entry = std::pair<Time, int>;
  static int rank(int i) { return (i % 2) * alarms + i; }
  int any() { return static_cast<int>(random_() % alarms); }

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
    for (auto n = random_() % 4; n > 0; --n) random_() % 5 == 0 ? disarm(any()) : arm(any());
  }

  std::mt19937_64 random_;
  sim::Agenda agenda_;
  std::vector<std::unique_ptr<One>> all_;
  std::set<Entry> expected_;
  int rang_ = 0;
};

}  // namespace

TEST_CASE("alarms ring by time, phase and first arming, whatever they do to each other meanwhile") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Crowd crowd(seed);
    crowd.run(2000);
    CHECK(crowd.rang() >= 2000);
  }
}

}  // namespace agenda_test
