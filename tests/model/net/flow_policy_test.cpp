// SPDX-License-Identifier: Apache-2.0
// Wires that are stopped, and wires whose receiver drops what it has no room for.
#include <algorithm>

#include "support/bench.hpp"
#include "support/child.hpp"

namespace flow_policy_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr Time flight = 5_ns;
constexpr Time wire_time = 70_ns;  // a 256-byte write at Gen2 x8, 16 data units
constexpr std::int64_t inf = flow::Credits::infinite;

net::WireSpec wire(net::FlowPolicy policy, std::int64_t stop = 1, std::int64_t go = 0) {
  pcie::LinkConfig link = quiet(gen2_x8());
  link.flight = flight;
  net::WireSpec w = spec_of(link);
  w.flow_control = policy;
  w.stop_go = {stop, go};
  return w;
}

/// `n` writes at 0 from "a" to "b", where each stays for `hold` after its tail.
void send(Bench& b, const net::WireSpec& w, int n, std::int64_t buffer, Time hold) {
  net::PortSpec rx = port("in");
  rx.rx.buffers = {flow::Credits::of(inf, buffer), {inf, inf}, {inf, inf}};
  b.device("a", port("out"));
  b.device("b", ProbeConfig{{rx}, hold, false});
  b.wire("a.out", "b.in", w);
  b.build();
  b.at(0_ns, [&b, n] {
    for (int i = 0; i < n; ++i) b.probe("a").write(far + 256 * static_cast<std::uint64_t>(i), 256_B);
  });
  b.run();
}

}  // namespace

TEST_CASE("a stopped sender sends what it began before it heard, and goes on when the buffer has drained") {
  Bench b;
  // Stop at two packets: told at 140 + 5, heard at 150, during packet 2. All three leave a microsecond after they came;
  // go at one packet, which is when the second has left.
  send(b, wire(net::FlowPolicy::stop_go, 32, 16), 6, 64, 1_us);
  const auto& seen = b.probe("b").arrivals();
  REQUIRE(seen.size() == 6);
  for (std::size_t i = 0; i < 3; ++i) CHECK(seen[i].head == wire_time * static_cast<std::int64_t>(i + 1) + flight);
  const Time heard = wire_time * 2 + flight + 1_us + flight;
  CHECK(seen[3].head == heard + wire_time + flight);
  b.expect_all_home();
  CHECK(b.forward().counters().credit_wait == heard - wire_time * 3);
}

TEST_CASE("a sender that is told to stop and to go at every packet sends one a loop") {
  Bench b;
  send(b, wire(net::FlowPolicy::stop_go, 16, 0), 5, 64, 100_ns);
  // A packet is there at 75 and stops the sender at 80, while the second is on its way; that one leaves 100 ns after it
  // came.
  const auto& seen = b.probe("b").arrivals();
  REQUIRE(seen.size() == 5);
  CHECK(seen[0].head == wire_time + flight);
  CHECK(seen[1].head == wire_time * 2 + flight);
  CHECK(seen[2].head == wire_time * 2 + flight + 100_ns + flight + wire_time + flight);
  b.expect_all_home();
}

TEST_CASE("without flow control the receiver drops what it has no room for, and counts it") {
  Bench b;
  send(b, wire(net::FlowPolicy::none), 10, 32, 150_ns);
  // Two fit; packet i comes at 70 (i + 1), a place is free 150 ns after its packet came.
  std::vector<Time> kept, left;
  for (int i = 0; i < 10; ++i) {
    const Time comes = wire_time * (i + 1) + flight;
    const auto inside = std::count_if(left.begin(), left.end(), [&](Time t) { return t >= comes; });
    if (inside >= 2) continue;
    kept.push_back(comes);
    left.push_back(comes + 150_ns);
  }
  const auto& seen = b.probe("b").arrivals();
  REQUIRE(seen.size() == kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) CHECK(seen[i].head == kept[i]);
  const net::ChannelCounters& c = b.forward().counters();
  CHECK(c.packets == 10);  // sent = delivered + dropped
  CHECK(c.dropped == 10 - static_cast<std::int64_t>(kept.size()));
  CHECK(c.dropped > 0);
  CHECK(c.dropped_payload == 256_B * c.dropped);
  CHECK(c.credit_wait == 0_ns);
  b.expect_all_home();
}

TEST_CASE("without flow control and bounds nothing is dropped") {
  Bench b;
  send(b, wire(net::FlowPolicy::none), 50, inf, 1_us);
  CHECK(b.probe("b").arrivals().size() == 50);
  CHECK(b.forward().counters().dropped == 0);
}

TEST_CASE("a leak in a buffer that drops, or stops, is found") {
  for (const auto policy : {net::FlowPolicy::none, net::FlowPolicy::stop_go}) {
    CHECK(in_child([&] {
            Bench b;
            net::PortSpec rx = port("in");
            rx.rx.buffers = {{inf, 64}, {inf, inf}, {inf, inf}};
            b.device("a", port("out"));
            b.device("b", ProbeConfig{{rx}, 0_ns, true});
            b.wire("a.out", "b.in", wire(policy, 32, 16));
            b.build();
            b.at(0_ns, [&b] { b.probe("a").write(far, 256_B); });
            b.run();
            return b.machine().leftovers().back();
          }).find("credits are missing") == 0);
  }
}

}  // namespace flow_policy_test
