// SPDX-License-Identifier: Apache-2.0
// The input-queued router against closed forms.
#include <algorithm>

#include "support/grid_bench.hpp"
#include "support/topo/networks.hpp"

namespace input_queued_router_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Milestone;
using router::InputQueuedRouterConfig;

namespace {

/// Latency of one packet in an empty network, posted at `t`: every clock adds the wait for its edge; a packet crosses
/// no faster than a flit a cycle and than it comes in, and no wire starts before it can run without a break.
Time latency_of(const Network& n, Bytes payload, int wires, Time t) {
  const InputQueuedRouterConfig& c = *n.input_queued;
  const Clock terminal(n.terminal.clock), clock(c.clock);
  const Clock crossbar(Frequency(static_cast<std::int64_t>(static_cast<double>(c.clock.hz()) * c.speedup)));
  const std::int64_t flits = units_of(n.link.header + payload, n.link.flit);
  const Time length = n.link.bandwidth.time(n.link.flit * flits);
  Time head = terminal.after(t, n.terminal.send_latency);
  for (int i = 1; i < wires; ++i) {
    const Time in = head + n.link.flight;
    const Time starts = crossbar.at_or_after(clock.after(in, c.latency));
    const Time ends =
        std::max(crossbar.after(starts, flits), crossbar.at_or_after(clock.after(in + length, c.latency)));
    head = std::max(starts, ends - length);
  }
  return terminal.after(head + length + n.link.flight, n.terminal.receive_latency) - t;
}

/// One message from rank 0 to every other in turn.
void expect_latencies(const Network& n, Bytes payload) {
  GridBench b(n);
  b.program(0, [&](comm::Rank& r) {
    for (int to = 1; to < r.size(); ++to) {
      const comm::Request q = deliver(r, to, payload);
      const Time posted = q.at(Milestone::posted);
      const int wires = wires_between(b.machine().all<router::PlacedRouter>().front()->routing().network(), 0, to);
      REQUIRE(q.at(Milestone::delivered) - posted == latency_of(n, payload, wires, posted));
    }
  });
  b.run();
}

}  // namespace

TEST_CASE("input-queued: zero-load latency in an 8x8 torus is that of its wires and routers") {
  // 1 cycle to send, 5 ns a wire, 3 cycles a router, 5 flits of 1 ns, 1 cycle to receive: no crossbar is in the way.
  const Network n = input_queued(torus({8, 8}));
  for (int wires = 3; wires < 10; ++wires)
    CHECK(latency_of(n, 64_B, wires, 0_ns) == 1_ns + 5_ns * wires + 3_ns * (wires - 1) + 5_ns + 1_ns);
  expect_latencies(n, 64_B);
}

TEST_CASE("input-queued: a packet alone takes as long as in BookSim's 8x8 mesh of docs/routers.md") {
  Network n = mesh({8, 8});
  n.router.switching = n.link.switching = router::Switching::wormhole;
  n.router.virtual_channels = n.link.virtual_channels = 8;
  n.router.buffer_flits = 8;
  n.link.flit = 8_B;
  n.link.bandwidth = Rate::bytes_per_second(8'000'000'000);
  n.link.flight = 1_ns;
  n.link.max_payload = 152_B;  // 20 flits
  n.terminal.send_latency = n.terminal.receive_latency = 0;
  GridBench b(input_queued(n));
  b.program(0, [&](comm::Rank& r) {
    for (int to = 1; to < r.size(); ++to) {
      const comm::Request q = deliver(r, to, 152_B);
      const int routers = 1 + to % 8 + to / 8;
      REQUIRE(q.at(Milestone::delivered) - q.at(Milestone::posted) == 1_ns * (6 + 4 * (routers - 1) + 19));
    }
  });
  b.run();
}

TEST_CASE("input-queued: clocks that do not fit the wire: every edge is waited for") {
  Network n = torus({4, 4});
  n.router.clock = Frequency(700'000'000);
  n.terminal.clock = Frequency(333'000'000);
  n.terminal.send_latency = 7;
  n.link.bandwidth = Rate::bytes_per_second(7'000'000'000);
  n.link.flight = Time::from_fs(4'321'987);
  expect_latencies(input_queued(n, [](InputQueuedRouterConfig& c) { c.speedup = 1.5; }), 100_B);
}

TEST_CASE("input-queued: a crossbar slower than the wire is what a packet waits for") {
  Network n = torus({4, 4});
  n.router.clock = Frequency(300'000'000);
  expect_latencies(input_queued(n), 200_B);
}

TEST_CASE("input-queued: the first of a FIFO holds up those behind it") {
  // Rank 1 keeps output 2 from 9 to 14 ns. Rank 0's first packet waits for that, and its second, whose output is free,
  // for the first.
  const auto run = [](const Network& n, Time first, Time second) {
    GridBench b(n);
    b.program(1, [](comm::Rank& r) { CHECK(deliver(r, 2, 64_B).at(Milestone::delivered) == 20_ns); });
    b.program(0, [=](comm::Rank& r) {
      r.wait_until(1_ns);
      const comm::Request a = r.isend(2, {{}, 64_B, {}, {}});
      const comm::Request c = r.isend(3, {{}, 64_B, {}, {}});
      r.wait(a, Milestone::delivered);
      r.wait(c, Milestone::delivered);
      CHECK(a.at(Milestone::delivered) == first);
      CHECK(c.at(Milestone::delivered) == second);
    });
    b.run();
  };
  run(fifo_crossbar(4), 25_ns, 30_ns);
}

TEST_CASE("the ideal router lets the second packet pass, which the input-queued one holds up") {
  Network n = crossbar(4);
  n.router.virtual_channels = n.link.virtual_channels = 1;
  GridBench b(n);
  b.program(1, [](comm::Rank& r) { deliver(r, 2, 64_B); });
  b.program(0, [](comm::Rank& r) {
    r.wait_until(1_ns);
    const comm::Request a = r.isend(2, {{}, 64_B, {}, {}});
    CHECK(deliver(r, 3, 64_B).at(Milestone::delivered) == 26_ns);
    CHECK(a.at(Milestone::delivered) == 25_ns);
  });
  b.run();
}

namespace {

/// When the packet behind one of three that compete arrives, with so much speedup and buffer at the outputs: ranks 1, 2
/// and 0 send to 3, 1 ns apart; rank 0's next goes to the idle output 4.
Time behind_three(double speedup, int output_buffer_flits) {
  Network n = fifo_crossbar(5, [=](InputQueuedRouterConfig& c) {
    c.speedup = speedup;
    c.output_buffer_flits = output_buffer_flits;
  });
  n.link.max_payload = 64_B;
  GridBench b(n);
  Time at;
  b.program(1, [](comm::Rank& r) { deliver(r, 3, 64_B); });
  b.program(2, [](comm::Rank& r) {
    r.wait_until(1_ns);
    deliver(r, 3, 64_B);
  });
  b.program(0, [&at](comm::Rank& r) {
    r.wait_until(2_ns);
    r.isend(3, {{}, 64_B, {}, {}});
    at = deliver(r, 4, 64_B).at(Milestone::delivered);
  });
  b.run();
  return at;
}

}  // namespace

// 5 flits each; they come in from 9, 10 and 11 ns, the one behind from 16 to 21 ns.
TEST_CASE("input-queued: without speedup a packet crosses in its time on the wire") {
  // 9..14, 14..19, 19..24; behind it 24..29; 5 flits, the wire, a cycle.
  CHECK(behind_three(1, 64) == 24_ns + 5_ns + 5_ns + 1_ns);
}

TEST_CASE("input-queued: with a speedup of two what has arrived crosses in half its time on the wire") {
  // 9..14 (as it comes in), 14..16.5, 16.5..19; behind it 19..21.5 on to the wire at 19.
  CHECK(behind_three(2, 64) == 19_ns + 5_ns + 5_ns + 1_ns);
}

TEST_CASE("input-queued: nothing crosses that the output's buffer does not hold") {
  // The third crosses when the second is on the wire: 14..16.5, then on the wire until 19; 19..21.5; behind it 21.5.
  CHECK(behind_three(2, 9) == 22_ns + 5_ns + 5_ns + 1_ns);
}

TEST_CASE("input-queued: the output's buffer takes what fits, to the flit") { CHECK(behind_three(2, 10) == 30_ns); }

TEST_CASE("input-queued: a buffer of one packet bounds the rate to a packet a credit loop") {
  Network n = ring(4);
  n.router.buffer_flits = 17;
  GridBench b(input_queued(n));
  constexpr int packets = 100;
  b.program(0, [](comm::Rank& r) {
    const comm::Request q = deliver(r, 1, 256_B * packets);
    // The terminal's cycle, the wire, the router, the packet across the crossbar, the credit home.
    const Time loop = 1_ns + 5_ns + 3_ns + 17_ns + 5_ns;
    CHECK(q.at(Milestone::delivered) == 1_ns + 5_ns * 3 + 3_ns * 2 + 17_ns + 1_ns + loop * (packets - 1));
  });
  b.run();
}

TEST_CASE("input-queued: fifteen senders share the wire to one receiver packet by packet") {
  expect_fair_incast(input_queued(crossbar(16)));
}

TEST_CASE("input-queued: sixteen virtual channels of an input share the crossbar in turn") {
  // Rank 0 has something for all others on its virtual channels; all wires but its own are idle: its own is kept full.
  Network n = crossbar(16);
  n.router.virtual_channels = n.link.virtual_channels = 16;
  GridBench b(input_queued(n));
  b.program(0, [](comm::Rank& r) {
    std::vector<comm::Request> all;
    for (int i = 0; i < 300; ++i) all.push_back(r.isend(1 + i % 15, {{}, 64_B, {}, {}}));
    for (const comm::Request& q : all) r.wait(q, Milestone::delivered);
    CHECK(r.now() == 1_ns + 5_ns * 2 + 3_ns + 5_ns * 300 + 1_ns);
  });
  b.run();
}

TEST_CASE("input-queued: a router with nothing to do wakes nobody") {
  GridBench b(input_queued(crossbar(4)), 64);
  b.program(0, [](comm::Rank& r) {
    for (int i = 0; i < 100; ++i) {
      deliver(r, 1, 64_B);
      r.wait_until(r.now() + 1_ms);
    }
  });
  b.run();
  // Two wires a message, two wake-ups each, one for the crossbar, and the program's.
  CHECK(b.sim().agenda().wakeups() < 100 * 9);
}

TEST_CASE("input-queued: an output buffer must hold the largest packet") {
  try {
    GridBench b(input_queued(crossbar(4), [](InputQueuedRouterConfig& c) { c.output_buffer_flits = 16; }));
    FAIL();
  } catch (const config::ConfigError& e) {
    CHECK(e.messages().front().text ==
          "router0: the largest packet of the wire at t0 has 17 flits, the output buffer 16");
  }
}

}  // namespace input_queued_router_test
