// SPDX-License-Identifier: Apache-2.0
// Trains on one wire: each packet as if it were alone, the last one as long as it is.
#include "support/bench.hpp"
#include "support/child.hpp"

namespace channel_train_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr Time flight = 1_ns;
const Clock chip(Frequency(250'000'000));

Time on_wire(Bytes n) { return 250_ps * n.count(); }

/// Three writes of 256, 256 and 100 B as one train at 0.
void one_train(Bench& b, const net::PortSpec& tx, const net::PortSpec& rx) {
  b.device("a", tx);
  b.device("b", rx);
  b.wire("a.out", "b.in", quiet(gen2_x8()));
  b.build(64);
  b.at(0_ns, [&b] { b.probe("a").write_train(far, 3, 256_B, 100_B); });
  b.run();
  REQUIRE(b.probe("b").arrivals().size() == 3);
  b.expect_all_home();
}

}  // namespace

TEST_CASE("the last packet of a train takes the wire for its own bytes") {
  Bench b;
  one_train(b, port("out"), port("in"));
  const auto& seen = b.probe("b").arrivals();
  CHECK(seen[0].head == on_wire(280_B) + flight);
  CHECK(seen[1].head == on_wire(280_B) * 2 + flight);
  CHECK(seen[2].head == on_wire(280_B) * 2 + on_wire(124_B) + flight);
  CHECK(b.forward().counters().payload == 612_B);
  CHECK(b.forward().counters().packets == 3);
}

TEST_CASE("the last packet of a train takes its own beats of a datapath") {
  Bench b;
  net::PortSpec tx = port("out");
  tx.tx.datapath = net::Datapath{chip, 4_B};
  one_train(b, tx, port("in"));
  // Header 16 B: 68, 68 and 29 beats of 4 ns, slower than the wire, which ends with the last beat.
  const auto& seen = b.probe("b").arrivals();
  CHECK(seen[1].head == 4_ns * (68 + 68) + flight);
  CHECK(seen[2].head == 4_ns * (68 + 68 + 29) + flight);
}

TEST_CASE("the last packet of a train takes credits for its own bytes") {
  Bench b;
  net::PortSpec rx = port("in");
  rx.rx.buffers = {{flow::Credits::infinite, 16 + 16 + 7}};  // units of 16 B: room for exactly these three
  one_train(b, port("out"), rx);
  CHECK(b.probe("b").arrivals()[2].head == on_wire(280_B) * 2 + on_wire(124_B) + flight);
  CHECK(b.forward().counters().credit_wait == 0_ns);
}

TEST_CASE("a port that says nothing of trains gets packets one by one, each at its own time") {
  Bench b;
  net::PortSpec rx = port("in");
  rx.rx.trains = net::PortSpec().rx.trains;  // as a newly written device has it
  rx.rx.buffers = {{8, 100}};
  one_train(b, port("out"), rx);
  const auto& seen = b.probe("b").arrivals();
  CHECK(seen[2].payload == 100_B);
  CHECK(seen[2].address == far + 512);
  for (std::size_t i = 0; i < 3; ++i) b.probe("b").expect_at(i, seen[i].head);  // told when its head is there
  CHECK(seen[1].head == on_wire(280_B) * 2 + flight);
  CHECK(seen[2].head == on_wire(280_B) * 2 + on_wire(124_B) + flight);
}

TEST_CASE("a train that waits for credits counts the wait, as packets alone do") {
  const auto wait = [](bool train) {
    return in_child([=] {
      Bench b;
      net::PortSpec rx = port("in");
      rx.rx.buffers = {{1, flow::Credits::infinite}};
      b.device("a", port("out"));
      b.device("b", ProbeConfig{{rx}, 100_ns, false});
      b.wire("a.out", "b.in", quiet(gen2_x8()));
      b.build(train ? 64 : 1);
      b.at(0_ns, [&b, train] {
        if (train) return b.probe("a").write_train(far, 3, 256_B, 256_B);
        for (int i = 0; i < 3; ++i) b.probe("a").write(far + 256 * static_cast<std::uint64_t>(i), 256_B);
      });
      b.run();
      return std::to_string(b.forward().counters().credit_wait.fs());
    });
  };
  // Twice: held for 100 ns, home again 1 ns there and 1 ns back later, the wire free all that time.
  CHECK(wait(false) == std::to_string((2 * 102_ns).fs()));
  CHECK(wait(true) == wait(false));
}

namespace {

/// Eight writes as one train, for which the receiver has room for four, each held for 1 us: when they come. `back`:
/// when the receiver sends one the other way.
void expect_one_grant_on_credits(const std::vector<Time>& back) {
  Bench b;
  net::PortSpec rx = port("in");
  rx.rx.buffers = {{4, flow::Credits::infinite}};
  b.device("a", port("out"));
  b.device("b", ProbeConfig{{rx}, 1_us, false});
  b.wire("a.out", "b.in", quiet(gen2_x8()));
  b.build(64);
  b.at(0_ns, [&b] { b.probe("a").write_train(far, 8, 256_B, 256_B); });
  for (const Time t : back) b.at(t, [&b] { b.probe("b").write(far, 256_B); });
  b.run();
  const auto& seen = b.probe("b").arrivals();
  REQUIRE(seen.size() == 8);
  for (std::size_t i = 0; i < 4; ++i) {
    const Time there = on_wire(280_B) * static_cast<std::int64_t>(i + 1) + flight;
    CHECK(seen[i].head == there);
    CHECK(seen[i + 4].head == there + 1_us + flight + on_wire(280_B) + flight);
    CHECK(seen[i + 4].told == seen[4].head);  // the four came as one train
  }
  CHECK(b.probe("a").arrivals().size() == back.size());
  b.expect_all_home();
}

}  // namespace

TEST_CASE("on credits that are known to come the packets of a train go in one grant") {
  expect_one_grant_on_credits({});
}

// Before the credits come, and between the packets that were granted on them: on a wire that brings credits by itself
// no packet of the other direction moves them.
TEST_CASE("where credits come home by themselves, what goes the other way holds up no train") {
  expect_one_grant_on_credits({500_ns, 1200_ns});
}

}  // namespace channel_train_test
