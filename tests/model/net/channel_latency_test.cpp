// SPDX-License-Identifier: Apache-2.0
// When the first byte arrives: every stage of a wire, added up by hand.
#include "support/bench.hpp"

namespace channel_latency_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

const Clock chip(Frequency(250'000'000));

net::PortSpec sender() { return port("out"); }
net::PortSpec receiver(bool store_and_forward = true) {
  net::PortSpec p = port("in");
  p.rx.store_and_forward = store_and_forward;
  return p;
}

/// One 256-byte write at `t` over a quiet Gen2 x8 link.
void one_write(Bench& b, const net::PortSpec& tx, const net::PortSpec& rx, Time t, std::optional<net::Span> span = {}) {
  b.device("a", tx);
  b.device("b", rx);
  b.wire("a.out", "b.in", quiet(gen2_x8()));
  b.build();
  b.at(t, [&b, span] { b.probe("a").write(far + 0x1000, 256_B, 0, 0, span); });
  b.run();
  REQUIRE(b.probe("b").arrivals().size() == 1);
  b.expect_all_home();
}

constexpr Time flight = 1_ns;
constexpr Time wire_time = 70_ns;  // 280 B at 4 GB/s

}  // namespace

TEST_CASE("store and forward: last byte on the wire plus flight") {
  Bench b;
  one_write(b, sender(), receiver(), 5_ns);
  b.probe("b").expect_first_at(5_ns + wire_time + flight);
  CHECK(b.probe("b").arrivals()[0].tail == 5_ns + wire_time + flight);
}

TEST_CASE("cut-through: first byte on the wire plus flight, the tail a packet later") {
  Bench b;
  one_write(b, sender(), receiver(false), 5_ns);
  b.probe("b").expect_first_at(5_ns + flight);
  CHECK(b.probe("b").arrivals()[0].tail == 5_ns + wire_time + flight);
}

TEST_CASE("clocked pipelines count their cycles from the next edge") {
  Bench b;
  net::PortSpec tx = sender();
  tx.tx.pipeline = {chip, 25, Time::zero()};
  net::PortSpec rx = receiver();
  rx.rx.pipeline = {chip, 10, 3_ns};
  one_write(b, tx, rx, 5_ns);
  // 5 ns -> edge at 8 ns, 25 cycles -> 108 ns on the wire; 179 ns there -> edge at 180 ns, 10 cycles, 3 ns.
  b.probe("b").expect_first_at(180_ns + 40_ns + 3_ns);
}

TEST_CASE("cut-through passes the receiver's pipeline with its head") {
  Bench b;
  net::PortSpec rx = receiver(false);
  rx.rx.pipeline = {std::nullopt, 0, 30_ns};
  one_write(b, sender(), rx, 0_ns);
  b.probe("b").expect_first_at(flight + 30_ns);
  CHECK(b.probe("b").arrivals()[0].tail == wire_time + flight + 30_ns);
}

TEST_CASE("a datapath as fast as the wire lets the wire start with the first beat") {
  Bench b;
  net::PortSpec tx = sender();
  tx.tx.datapath = net::Datapath{chip, 16_B};
  tx.tx.word_clock = chip;
  tx.tx.pipeline = {chip, 24, Time::zero()};
  one_write(b, tx, receiver(), 1_ns);
  // Edge at 4 ns, 96 ns of pipeline; 17 beats (68 ns) keep ahead of 70 ns on the wire.
  b.probe("b").expect_first_at(4_ns + 96_ns + wire_time + flight);
}

TEST_CASE("a datapath slower than the wire delays the start so that the wire never runs dry") {
  Bench b;
  net::PortSpec tx = sender();
  tx.tx.datapath = net::Datapath{chip, 8_B};
  tx.tx.word_clock = chip;
  one_write(b, tx, receiver(), 0_ns);
  // 34 beats until 136 ns; the wire may start at 136 - 70 = 66 ns, on its word clock at 68 ns.
  b.probe("b").expect_first_at(68_ns + wire_time + flight);
}

TEST_CASE("bytes that still trickle in hold the wire back") {
  Bench b;
  one_write(b, sender(), receiver(), 0_ns, net::Span{10_ns, 200_ns});
  b.probe("b").expect_first_at(200_ns + flight);
}

TEST_CASE("beats follow each other without a gap: the first one waits until the last one can be there in time") {
  Bench b;
  net::PortSpec tx = sender();
  tx.tx.datapath = net::Datapath{chip, 16_B};
  tx.tx.pipeline = {chip, 24, Time::zero()};
  one_write(b, tx, receiver(), 0_ns, net::Span{10_ns, 201_ns});
  // The last byte is there for the edge at 204 ns, when 17 beats (68 ns) end; then 96 ns of pipeline.
  b.probe("b").expect_first_at(204_ns - 68_ns + 96_ns + wire_time + flight);
}

TEST_CASE("bytes that come faster than the wire start it at the first") {
  Bench b;
  one_write(b, sender(), receiver(), 0_ns, net::Span{10_ns, 50_ns});
  b.probe("b").expect_first_at(10_ns + wire_time + flight);
}

TEST_CASE("a payload above the link's largest is a defect that is told") {
  Bench b;
  b.device("a", sender());
  b.device("b", receiver());
  b.wire("a.out", "b.in", gen2_x8());
  b.build();
  b.at(0_ns, [&] { b.probe("a").write(far, 257_B); });
  CHECK(b.failure() == "a packet of 257 B exceeds the wire's max payload");
}

}  // namespace channel_latency_test
