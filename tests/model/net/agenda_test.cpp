// SPDX-License-Identifier: Apache-2.0
// The agenda against a sorted set: what rings when, while alarms arm, re-arm, disarm and destroy each other.
#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/simulation.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace agenda_test {

using namespace tsunagi;

namespace {

/// Draws how far ahead an alarm is armed, in femtoseconds.
using Reach = std::int64_t (*)(std::mt19937_64&);

class Crowd {
 public:
  Crowd(std::uint64_t seed, int alarms, Reach reach) : random_(seed), alarms_(alarms), reach_(reach) {
    all_.resize(static_cast<std::size_t>(alarms));
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
  int any() { return static_cast<int>(random_() % static_cast<std::uint64_t>(alarms_)); }
  /// Destroys alarm `i`, and arms another in its place, which gives it its rank.
  void renew(int i) {
    std::unique_ptr<One>& a = all_[static_cast<std::size_t>(i)];
    if (a && a->armed()) {
      expected_.erase({a->time(), a->rank});
      ++destroyed_while_armed_;
    }
    a.reset();
    const int last = 1'000'000;
    constexpr sim::Phase phases[] = {sim::Phase::arrive, sim::Phase::grant, sim::Phase::resume};
    a = std::make_unique<One>(*this, i, (i % 3) * last + made_++, phases[i % 3]);
    arm(i);
  }

  void arm(int i) {
    sim::Alarm& a = *all_[static_cast<std::size_t>(i)];
    expected_.erase({a.time(), rank(i)});
    agenda_.arm(a, agenda_.now() + Time::from_fs(reach_(random_)));
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
  int alarms_;
  Reach reach_;
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
    Crowd crowd(seed, 40, [](std::mt19937_64& r) { return static_cast<std::int64_t>(r() % 8); });
    crowd.run(2000);
    CHECK(crowd.rang() >= 2000);
    CHECK(crowd.destroyed_while_armed() > 20);
  }
}

TEST_CASE("so they do where many are armed, for times near and far") {
  const Reach reaches[] = {
      [](std::mt19937_64& r) { return static_cast<std::int64_t>(r() % 8); },
      [](std::mt19937_64& r) { return static_cast<std::int64_t>(r() % 1'000'000); },
      [](std::mt19937_64& r) { return static_cast<std::int64_t>(r() >> (14 + r() % 50)); },       // any magnitude
      [](std::mt19937_64& r) { return std::int64_t{1000} << (r() % 1000 == 0 ? 40 : r() % 3); },  // rarely far
      [](std::mt19937_64& r) { return static_cast<std::int64_t>(r() % 4 * 4'000'000); },          // at edges
  };
  for (const Reach& reach : reaches)
    for (const int alarms : {70, 1000, 5000}) {
      INFO(alarms << " alarms, reach " << &reach - reaches);
      Crowd crowd(static_cast<std::uint64_t>(alarms), alarms, reach);
      crowd.run(20 * alarms);
      CHECK(crowd.destroyed_while_armed() > 20);
    }
}

// What rings has left its place at the top, where it is later than arrivals that are armed for its instant now.
TEST_CASE("who is disarmed while one rings leaves the others of that instant in their order") {
  struct Named final : sim::Alarm {
    Named(char n, sim::Phase p, std::function<void(char)> f) : Alarm(p), name(n), rings(std::move(f)) {}
    void ring() override { rings(name); }
    char name;
    std::function<void(char)> rings;
  };
  std::array<std::size_t, 4> armed{0, 1, 2, 3};
  do {
    std::array<std::size_t, 4> again{0, 1, 2, 3};
    do {
      for (const std::size_t gone : again) {
        sim::Agenda agenda;
        std::string rang;
        const auto note = [&](char name) { rang += name; };
        Named others[] = {{'a', sim::Phase::arrive, note},
                          {'b', sim::Phase::arrive, note},
                          {'c', sim::Phase::arrive, note},
                          {'g', sim::Phase::grant, note}};
        Named first('s', sim::Phase::grant, [&](char) {
          for (const std::size_t i : again) agenda.arm(others[i], agenda.now());
          agenda.disarm(others[gone]);
        });
        std::string expected;
        for (const std::size_t i : armed) {
          agenda.arm(others[i], Time::from_fs(10 + static_cast<std::int64_t>(i)));
          if (i != gone && i < 3) expected += others[i].name;
        }
        if (gone != 3) expected += 'g';
        agenda.arm(first, Time::from_fs(1));
        agenda.ring_due(Time::from_fs(1));
        REQUIRE(rang == expected);
      }
    } while (std::next_permutation(again.begin(), again.end()));
  } while (std::next_permutation(armed.begin(), armed.end()));
}

}  // namespace agenda_test
