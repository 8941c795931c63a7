// SPDX-License-Identifier: Apache-2.0
#include <random>
#include <vector>

#include "net/receive_buffer.hpp"
#include "net/stop_go.hpp"
#include "support/catch.hpp"
#include "units/parse.hpp"

namespace net_stop_go_test {

using namespace tsunagi;
using namespace tsunagi::literals;
using net::ReceiveBuffer;
using net::StopGo;

TEST_CASE("a sender hears stop and go a delay after the marks are reached") {
  StopGo s(8, 4, 10_ns);
  s.arrives(100_ns, 7);
  CHECK(s.open(200_ns));
  s.arrives(200_ns, 1);  // 8
  CHECK(s.open(210_ns - 1_fs));
  CHECK_FALSE(s.open(210_ns));
  CHECK(s.next_open(205_ns) == 205_ns);
  CHECK(s.next_open(210_ns) == Time::max());
  s.leaves(300_ns, 3);  // 5
  CHECK(s.next_open(210_ns) == Time::max());
  s.leaves(400_ns, 1);  // 4
  CHECK(s.next_open(210_ns) == 410_ns);
  CHECK_FALSE(s.open(410_ns - 1_fs));
  CHECK(s.open(410_ns));
  CHECK_FALSE(s.empty());
  s.leaves(500_ns, 4);
  CHECK(s.empty());
}

TEST_CASE("between the marks stays what was told last") {
  StopGo s(8, 4, 1_ns);
  s.arrives(10_ns, 6);
  CHECK(s.open(20_ns));
  s.arrives(20_ns, 2);
  s.leaves(30_ns, 2);  // 6 again
  CHECK_FALSE(s.open(40_ns));
}

TEST_CASE("what arrives and leaves at one time counts together") {
  StopGo s(8, 4, 1_ns);
  s.arrives(10_ns, 7);
  s.arrives(20_ns, 3);
  s.leaves(20_ns, 3);
  CHECK(s.open(30_ns));
}

TEST_CASE("what is known late, forgotten early, and asked for ahead gives the state of a plain replay") {
  std::mt19937 random(7);
  for (int round = 0; round < 15; ++round) {
    const std::int64_t go = random() % 6, stop = go + 1 + random() % 6;
    const Time delay = Time::from_fs(1 + random() % 20);
    StopGo s(stop, go, delay);
    std::vector<std::pair<Time, std::int64_t>> all;
    std::int64_t inside = 0;
    for (Time now = Time::from_fs(0); now < Time::from_fs(200); now += Time::from_fs(1 + random() % 8)) {
      const Time when = now + Time::from_fs(random() % 15);
      if (inside > 0 && random() % 2 == 0) {
        const std::int64_t units = 1 + random() % inside;
        inside -= units;
        s.leaves(when, units);
        all.emplace_back(when, -units);
      } else {
        const std::int64_t units = 1 + random() % 4;
        inside += units;
        s.arrives(when, units);
        all.emplace_back(when, units);
      }
      if (random() % 2 == 0) s.forget(now);
      const auto state = [&](Time t) {
        bool stopped = false;
        for (Time u = Time::from_fs(0); u + delay <= t; u += 1_fs) {
          std::int64_t sum = 0;
          for (const auto& [at, units] : all) sum += at <= u ? units : 0;
          if (sum >= stop) stopped = true;
          if (sum <= go) stopped = false;
        }
        return !stopped;
      };
      const Time asked = now + Time::from_fs(random() % 30);
      REQUIRE(s.open(asked) == state(asked));
      Time next = asked;
      while (next < asked + Time::from_fs(80) && !state(next)) next += 1_fs;
      REQUIRE(s.next_open(asked) == (next < asked + Time::from_fs(80) ? next : Time::max()));
    }
  }
}

TEST_CASE("a buffer takes what it has room for, what leaves now being there still") {
  ReceiveBuffer b({2, 10});
  CHECK(b.admit({1, 6}, 0_ns));
  CHECK_FALSE(b.admit({1, 6}, 5_ns));  // no data units
  CHECK(b.admit({1, 4}, 5_ns));
  CHECK_FALSE(b.admit({1, 0}, 6_ns));  // no header
  b.leaves(20_ns, {1, 4});
  b.leaves(10_ns, {1, 6});
  CHECK_FALSE(b.admit({1, 1}, 10_ns));
  CHECK(b.admit({1, 6}, 10_ns + 1_fs));
  CHECK_FALSE(b.admit({1, 1}, 20_ns));
  CHECK_FALSE(b.empty());
  b.leaves(30_ns, {1, 6});
  CHECK(b.empty());
}

TEST_CASE("a buffer without bounds takes all") {
  ReceiveBuffer b({flow::Credits::infinite, flow::Credits::infinite});
  for (int i = 0; i < 1000; ++i) CHECK(b.admit({1, 100}, 0_ns));
  CHECK(b.empty());
}

}  // namespace net_stop_go_test
