// SPDX-License-Identifier: Apache-2.0
// Myrinet's slack buffers: STOP and GO lose no byte if the mark leaves room for the cable.
#include <map>

#include "model/myrinet/myrinet_bench.hpp"
#include "stats/random.hpp"
#include "support/child.hpp"
#include "support/environment.hpp"

namespace myrinet_stop_go_test {

using namespace tsunagi;
using namespace tsunagi::test;
using Catch::Matchers::Contains;

namespace {

/// The most bytes that lay in the buffer at the end of any wire to a crossbar at any time.
class Levels final : public net::Listener {
 public:
  void stage(const net::StageEvent&) override {}
  void overhead(const net::OverheadEvent&) override {}
  void credits(const net::CreditEvent&) override {}
  void hop(const net::Hop& h) override {
    const std::int64_t room = (h.size.total() - (h.size.framing > 0_B ? myrinet::gap_size : 0_B)).count();
    if (const auto before = last_.find(h.item); before != last_.end()) {
      changes_[before->second.channel][before->second.landed] += before->second.room;
      changes_[before->second.channel][h.wire.tail] -= before->second.room;
    }
    last_[h.item] = {h.channel, h.landed, room};
  }
  std::int64_t most() const {
    std::int64_t most = 0;
    for (const auto& [channel, changes] : changes_) {
      (void)channel;
      std::int64_t level = 0;
      for (const auto& [when, change] : changes) {
        (void)when;
        most = std::max(most, level += change);
      }
    }
    return most;
  }

 private:
  struct Piece {
    std::uint32_t channel = 0;
    Time landed;
    std::int64_t room = 0;
  };
  std::map<std::uint64_t, Piece> last_;
  std::map<std::uint32_t, std::map<Time, std::int64_t>> changes_;
};

/// Marks so low that they matter, slack buffers as large as they have to be.
MyrinetParts tight(Time flight, Time flow_delay, Bytes stop) {
  MyrinetParts p;
  p.link.flight = flight;
  p.link.flow_delay = flow_delay;
  p.link.stop = stop;
  p.link.go = stop - 20_B;
  const Bytes needed = myrinet::slack_needed(myrinet::link_spec(MyrinetParts::any_of("myrinet", p.link)));
  p.crossbar.slack = p.host.slack = needed;
  return p;
}

std::string refusal(const topo::Graph& g) {
  return in_child([&]() -> std::string {
    try {
      MyrinetBench b(g);
    } catch (const config::ConfigError& e) {
      return e.what();
    }
    return "none";
  });
}

}  // namespace

TEST_CASE("Myrinet: all that comes behind STOP fits exactly into the slack buffer that is asked for") {
  // The buffer has 4 bytes of the head and pieces of 16; behind the one that reaches the mark at 85 bytes four more
  // leave before STOP is heard, the last of them a femtosecond before.
  MyrinetParts p = tight(96_ns, 1_fs, 85_B);
  REQUIRE(p.host.slack == 84_B + 16_B * 5);
  MyrinetBench b(p.one_crossbar(2));
  b.at(0_ns, [&] {
    b.host(1).hold_until(1_ms);
    b.host(0).send_to(1, 20'000_B);
  });
  std::int64_t held = 0;
  b.at(500_us, [&] { held = b.host(1).held(); });
  b.run();
  CHECK(held == p.host.slack.count());
  CHECK(b.host(1).whole() == 1);
}

TEST_CASE("Myrinet: a slack buffer of a byte less is refused") {
  for (const Time flow_delay : {1_fs, 16_ns, 63_ns}) {
    MyrinetParts p = tight(96_ns, flow_delay, 85_B);
    CHECK(refusal(p.one_crossbar(2)) == "none");
    p.crossbar.slack -= 1_B;
    CHECK_THAT(refusal(p.one_crossbar(2)), Contains("slack buffer of") || Contains("the slack buffer"));
  }
  MyrinetParts p = tight(96_ns, 63_ns, 85_B);
  p.crossbar.slack -= 1_B;
  CHECK_THAT(refusal(p.one_crossbar(2)),
             Contains("router0.t0 has a slack buffer of 178 B, but a sender that is told to stop at 85 B can fill 179 "
                      "B before it has stopped"));
}

TEST_CASE("Myrinet: a longer cable needs a byte of slack for each byte that is under way") {
  const Bytes near = tight(96_ns, 16_ns, 85_B).host.slack;
  for (int bytes = 1; bytes < 100; ++bytes)
    CHECK(tight(96_ns + 2_ns * bytes, 16_ns, 85_B).host.slack == near + Bytes(bytes));
}

TEST_CASE("Myrinet: of a rate that is no whole time a byte, all bytes count that leave before STOP is heard") {
  stats::RandomStream random(1, "rates");
  for (int i = 0; i < 40; ++i) {
    MyrinetParts p;
    p.link.bandwidth = Rate::bytes_per_second(500'000'000 + random.below(2'000'000'000));
    p.link.flight = Time::from_fs(1 + random.below(Time(100_us).fs()));
    p.link.stop = 100_B;
    const net::WireSpec wire = myrinet::link_spec(MyrinetParts::any_of("myrinet", p.link));
    const auto& framing = static_cast<const myrinet::LinkFraming&>(*wire.framing);
    Bytes left;  // the next one would leave when STOP has been heard, or later
    while (wire.rate.time(left + 1_B) < wire.told_at({}) + wire.flight) left += 1_B;
    CHECK(myrinet::slack_needed(wire) == 99_B + framing.largest_piece() * 2 + left);
  }
}

TEST_CASE("Myrinet: no slack buffer is ever fuller than it may be") {
  std::int64_t closest = 1000;
  for (std::int64_t seed = 1; seed <= from_environment("TSUNAGI_SEEDS", 12); ++seed) {
    const std::string seen = in_child([&] {
      stats::RandomStream random(static_cast<std::uint64_t>(seed), "levels");
      MyrinetParts p = tight(1_ns * (5 + static_cast<std::int64_t>(random.below(100))),
                             1_ns * (1 + static_cast<std::int64_t>(random.below(30))), 60_B);
      MyrinetBench b(p.row(3, 2));
      Levels levels;
      b.machine().listen(levels);
      for (int from = 0; from < 6; ++from)
        for (int i = 0; i < 12; ++i) {
          const int to = static_cast<int>(random.below(6));
          const Bytes n(static_cast<std::int64_t>(random.below(i % 2 == 0 ? 12 : 900)));
          b.at(100_ns * i, [&b, from, to, n] { b.host(from).send_to(to, n); });
        }
      b.run();
      REQUIRE(levels.most() <= p.crossbar.slack.count());
      return std::to_string(p.crossbar.slack.count() - levels.most());
    });
    closest = std::min<std::int64_t>(closest, std::stoll(seen));
  }
  CHECK(closest < 20);  // the bound is one
}

TEST_CASE("Myrinet: a stopped sender goes on, and a GO mark above what the cable holds keeps the wire busy") {
  // Host 0 sends for long to 2, whose slack empties only from 50 us on. Behind that the wire to it is never idle if
  // what is left at GO lasts until more comes: as fast as if nothing had been.
  const auto end = [](Bytes go) {
    return in_child([go] {
      MyrinetParts p;
      p.link.flight = 100_ns;
      p.link.go = go;
      p.link.stop = go + 100_B;
      MyrinetBench b(p.one_crossbar(3));
      b.at(0_ns, [&] { b.host(0).send_to(2, 9000_B, 1); });
      b.at(2_us, [&] {  // it takes the wire to 2 behind that, and stops for long before
        b.host(1).send_to(2, 9000_B, 2);
      });
      b.run();
      return std::to_string(b.host(2).arrivals().at(1).tail.fs());
    });
  };
  const MyrinetParts p;
  const Time best = 100_ns * 2 + p.byte() + p.crossbar.latency + p.byte() * (2 * (4 + 9000 + 2));
  CHECK(end(300_B) == std::to_string(best.fs()));
  CHECK(std::stoll(end(4_B)) > best.fs());
}

TEST_CASE("Myrinet: what cannot be is refused") {
  MyrinetParts p;
  p.crossbar.ports = 4;
  CHECK(refusal(p.one_crossbar(4)) == "none");
  CHECK_THAT(refusal(p.one_crossbar(5)), Contains("router0 has 4 ports, the network uses 5 of it"));
}

}  // namespace myrinet_stop_go_test
