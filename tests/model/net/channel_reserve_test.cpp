// SPDX-License-Identifier: Apache-2.0
// Bubble flow control: a source that must leave room gets no credit for what would take it; another does.
#include "support/bench.hpp"

namespace channel_reserve_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr Time flight = 1_ns;
constexpr Time wire_time = 70_ns;  // a 256-byte write at Gen2 x8
constexpr Time dllp = 2_ns;
constexpr Time update_delay = Time::from_fs(158 * 2'000'000);  // UpdateFC latency limit of Gen2 x8
constexpr std::int64_t inf = flow::Credits::infinite;

/// "a" with two sources, of which the first leaves `reserve` packets free, to "b" with room for `packets`.
void build(Bench& b, std::uint8_t reserve, int packets, Time hold = 0_ns) {
  net::PortSpec tx = port("out");
  tx.sources = 2;
  tx.reserve = {reserve, 0};
  net::PortSpec rx = port("in");
  rx.rx.buffers = {{packets, inf}, {inf, inf}, {inf, inf}};
  pcie::LinkConfig link = quiet(gen2_x8());
  link.credit_updates = true;
  b.device("a", tx);
  b.device("b", ProbeConfig{{rx}, hold, false});
  b.wire("a.out", "b.in", link);
  b.build();
}

}  // namespace

TEST_CASE("a source with a reserve of one sends one packet a loop less") {
  Bench b;
  build(b, 1, 4);
  b.at(0_ns, [&b] {
    for (int i = 0; i < 31; ++i) b.probe("a").write(far, 256_B);
  });
  b.run();
  const auto& seen = b.probe("b").arrivals();
  REQUIRE(seen.size() == 31);
  const Time loop = wire_time + flight + update_delay + dllp + flight;
  for (std::size_t i = 0; i < seen.size(); ++i)
    REQUIRE(seen[i].head ==
            loop * static_cast<std::int64_t>(i / 3) + wire_time * static_cast<std::int64_t>(i % 3 + 1) + flight);
  b.expect_all_home();
}

TEST_CASE("what may not take the last room lets another source have it") {
  Bench b;
  build(b, 1, 2, 10_us);  // nothing comes back for long
  b.at(0_ns, [&b] {
    b.probe("a").write(far + 0x1000, 256_B, 0);
    b.probe("a").write(far + 0x1100, 256_B, 0);
  });
  b.at(10_ns, [&b] { b.probe("a").write(far + 0x2000, 256_B, 1); });  // while the first is on the wire
  b.run();
  const auto& seen = b.probe("b").arrivals();
  REQUIRE(seen.size() == 3);
  CHECK(seen[0].address == far + 0x1000);
  CHECK(seen[1].address == far + 0x2000);
  CHECK(seen[1].head == wire_time * 2 + flight);
  CHECK(seen[2].address == far + 0x1100);
  CHECK(seen[2].head > 10_us);
  b.expect_all_home();
}

TEST_CASE("a buffer that never has the room is refused before anything runs") {
  Bench b;
  net::PortSpec tx = port("out");
  tx.reserve = {3};
  net::PortSpec rx = port("in");
  rx.rx.buffers = {{3, inf}, {inf, inf}, {inf, inf}};
  b.device("a", tx);
  b.device("b", ProbeConfig{{rx}, 0_ns, false});
  b.wire("a.out", "b.in", gen2_x8());
  CHECK_THROWS_WITH(b.build(), Catch::Contains("the posted buffer of b.in does not hold 4 packets"));
}

}  // namespace channel_reserve_test
