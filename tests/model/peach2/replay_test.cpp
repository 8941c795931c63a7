// SPDX-License-Identifier: Apache-2.0
// ACK, NAK and replay: what a lossy or slowly acknowledged link costs, and that it loses nothing.
#include "support/bench.hpp"
#include "support/child.hpp"

namespace replay_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr Time flight = 1_ns;
constexpr Time wire_time = 70_ns;  // a 256-byte write at Gen2 x8
constexpr Time dllp = 2_ns;
constexpr Time ack_delay = Time::from_fs(158 * 2'000'000);  // ACK latency limit of Gen2 x8

/// `n` writes of 256 B offered at 0, addresses 0, 256, ...
void stream(Bench& b, const pcie::LinkConfig& link, int n) {
  b.device("a", port("out"));
  net::PortSpec in = port("in");
  in.rx.buffers = {{32, 512}, {32, 32}, {32, 512}};
  b.device("b", in);
  b.wire("a.out", "b.in", link);
  b.build();
  b.at(0_ns, [&b, n] {
    for (int i = 0; i < n; ++i) b.probe("a").write(far + static_cast<std::uint64_t>(i) * 256, 256_B);
  });
  b.run();
}

pcie::LinkConfig lossy() {
  pcie::LinkConfig link = gen2_x8();
  link.bit_error_rate = 1e-5;  // 2.2 % of the packets, 0.06 % of the DLLPs
  return link;
}

}  // namespace

TEST_CASE("a replay buffer of k packets bounds the rate to k an acknowledgement loop") {
  Bench b;
  pcie::LinkConfig link = quiet(gen2_x8());
  link.acks = true;
  constexpr int k = 4;
  link.replay_buffer = on_link(256_B) * k;
  stream(b, link, 10 * k);
  // First packet there, ACK at its limit (it covers all k), back at the sender.
  const Time loop = wire_time + flight + ack_delay + dllp + flight;
  for (std::size_t i = 0; i < 10 * k; ++i)
    b.probe("b").expect_at(
        i, loop * static_cast<std::int64_t>(i / k) + wire_time * static_cast<std::int64_t>(i % k + 1) + flight);
  b.expect_all_home();
}

TEST_CASE("a link with bit errors delivers every packet once and in order, later and never earlier") {
  Bench b;
  constexpr int n = 2000;
  stream(b, lossy(), n);
  const auto& seen = b.probe("b").arrivals();
  REQUIRE(seen.size() == n);
  for (std::size_t i = 0; i < n; ++i) {
    REQUIRE(seen[i].address == far + i * 256);
    REQUIRE(seen[i].head >= wire_time * static_cast<std::int64_t>(i + 1) + flight);
    if (i > 0) REQUIRE(seen[i].head >= seen[i - 1].head + wire_time);
  }
  // 2000 packets of 2240 bits: 44 replays expected; 3.5 standard deviations either way.
  CHECK(b.forward().counters().replays > 21);
  CHECK(b.forward().counters().replays < 67);
  b.expect_all_home();
}

TEST_CASE("bit errors are the same for the same seed") {
  const auto last = [] {
    Bench b;
    stream(b, lossy(), 500);
    return std::to_string(b.probe("b").arrivals().back().head.fs());
  };
  CHECK(in_child(last) == in_child(last));
}

}  // namespace replay_test
