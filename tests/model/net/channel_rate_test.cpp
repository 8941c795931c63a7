// SPDX-License-Identifier: Apache-2.0
// What a wire carries at most, against closed forms.
#include "support/bench.hpp"

namespace channel_rate_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr Time flight = 1_ns;
const std::vector<Bytes> payloads = {4_B, 8_B, 64_B, 100_B, 128_B, 252_B, 256_B};

/// A pair of probes and a wire for each payload, all in one machine: "a0" sends 2000 writes to "b0" and so on.
constexpr std::int64_t packets = 2000;
void saturate(Bench& b, const pcie::LinkConfig& link, bool both_ways = false) {
  for (std::size_t i = 0; i < payloads.size(); ++i) {
    const std::string n = std::to_string(i);
    b.device("a" + n, port("out"));
    b.device("b" + n, port("in"));
    b.wire("a" + n + ".out", "b" + n + ".in", link);
  }
  b.build();
  b.at(0_ns, [&b, both_ways] {
    for (std::size_t i = 0; i < payloads.size(); ++i)
      for (std::int64_t k = 0; k < packets; ++k) {
        b.probe("a" + std::to_string(i)).write(far, payloads[i]);
        if (both_ways) b.probe("b" + std::to_string(i)).write(far, payloads[i]);
      }
  });
  b.run();
  b.expect_all_home();
}

const std::vector<Arrival>& arrivals(Bench& b, std::size_t i) { return b.probe("b" + std::to_string(i)).arrivals(); }

}  // namespace

TEST_CASE("a Gen2 x8 link carries packets back to back at every payload") {
  Bench b;
  saturate(b, quiet(gen2_x8()));
  for (std::size_t i = 0; i < payloads.size(); ++i)
    for (std::int64_t k = 0; k < packets; ++k)
      REQUIRE(arrivals(b, i)[static_cast<std::size_t>(k)].head ==
              Time::from_fs(250'000) * on_link(payloads[i]).count() * (k + 1) + flight);
}

TEST_CASE("a Gen3 x8 link carries packets back to back without rounding") {
  Bench b;
  saturate(b, quiet(gen3_x8()));
  for (std::size_t i = 0; i < payloads.size(); ++i)
    for (std::int64_t k = 0; k < packets; ++k)
      REQUIRE(arrivals(b, i)[static_cast<std::size_t>(k)].head.fs() ==
              on_link(payloads[i]).count() * (k + 1) * 1'015'625 / 8 + flight.fs());
}

TEST_CASE("counters hold what went over the wire") {
  Bench b;
  saturate(b, quiet(gen2_x8()));
  for (std::size_t i = 0; i < payloads.size(); ++i) {
    const net::ChannelCounters& c = b.forward(i).counters();
    CHECK(c.packets == packets);
    CHECK(c.payload == payloads[i] * packets);
    CHECK(c.header == 16_B * packets);
    CHECK(c.framing == 8_B * packets);
    CHECK(c.credit_wait == 0_ns);
    CHECK(b.backward(i).counters().dllps == 0);
  }
}

TEST_CASE("ordered sets cost exactly one of themselves an interval") {
  Bench b;
  pcie::LinkConfig link = quiet(gen2_x8());
  link.skip_ordered_sets = true;
  saturate(b, link);
  const Time interval = 3076_ns, length = 8_ns;  // 1538 and 4 symbols of 2 ns
  for (std::size_t i = 0; i < payloads.size(); ++i) {
    const Time one = Time::from_fs(250'000) * on_link(payloads[i]).count();
    // Before the last packet: all others, and the least number of sets that leaves none due.
    const Time others = one * (packets - 1);
    const std::int64_t sets = others < interval ? 0 : (others - interval) / (interval - length) + 1;
    CHECK(arrivals(b, i).back().head == others + length * sets + one + flight);
  }
}

TEST_CASE("acknowledgements cost the other direction their bytes and no more") {
  Bench b;
  pcie::LinkConfig link = quiet(gen2_x8());
  link.acks = true;
  saturate(b, link, true);
  const Time dllp = 2_ns, limit = 158 * 2_ns;  // 8 B; the ACK latency limit of Gen2 x8
  for (std::size_t i = 0; i < payloads.size(); ++i) {
    const Time one = Time::from_fs(250'000) * on_link(payloads[i]).count();
    const Time spent = arrivals(b, i).back().head - flight - one * packets;
    REQUIRE(spent.fs() % dllp.fs() == 0);  // nothing but whole DLLPs between the packets
    const std::int64_t acks = spent / dllp;
    // From one ACK to the next: the wait for the next arrival, the limit, the wait for the wire.
    const Time total = one * packets;
    CHECK(acks <= total / limit + 1);
    CHECK(acks >= total / (limit + (one + dllp) * 2 + dllp) - 1);
  }
}

TEST_CASE("an idle reverse direction takes the DLLPs for nothing") {
  Bench b;
  pcie::LinkConfig link = quiet(gen2_x8());
  link.acks = link.credit_updates = true;
  saturate(b, link);
  for (std::size_t i = 0; i < payloads.size(); ++i) {
    CHECK(arrivals(b, i).back().head == Time::from_fs(250'000) * on_link(payloads[i]).count() * packets + flight);
    CHECK(b.backward(i).counters().dllps > 0);
  }
}

}  // namespace channel_rate_test
