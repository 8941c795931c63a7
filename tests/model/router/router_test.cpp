// SPDX-License-Identifier: Apache-2.0
// Routers, links and terminals against closed forms.
#include "support/child.hpp"
#include "support/grid_bench.hpp"
#include "support/topo/networks.hpp"

namespace router_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Milestone;

namespace {

Time wire_time(const router::LinkConfig& l, Bytes payload) {
  return l.bandwidth.time(l.flit * units_of(l.header + payload, l.flit));
}

/// Latency of one packet in an empty network, posted at `t`: each clock adds the wait for its edge, and no wire
/// starts before it can run without a break.
Time latency_of(const Network& n, Bytes payload, int wires, Time t) {
  const Clock terminal(n.terminal.clock), router(n.router.clock);
  const Time length = wire_time(n.link, payload);
  Time head = terminal.after(t, n.terminal.send_latency);
  for (int i = 1; i < wires; ++i) {
    const Time in = head + n.link.flight;
    head = std::max(router.after(in, n.router.latency), router.after(in + length, n.router.latency) - length);
  }
  return terminal.after(head + length + n.link.flight, n.terminal.receive_latency) - t;
}

/// One message from rank 0 to every other in turn.
void expect_latencies(const Network& n, Bytes payload, const std::function<Time(int wires, Time posted)>& formula) {
  GridBench b(n);
  b.program(0, [&](comm::Rank& r) {
    for (int to = 1; to < r.size(); ++to) {
      const comm::Request q = deliver(r, to, payload);
      const Time posted = q.at(Milestone::posted);
      const int wires = wires_between(b.machine().all<router::Router>().front()->routing().network(), 0, to);
      REQUIRE(q.at(Milestone::delivered) - posted == formula(wires, posted));
    }
  });
  b.run();
}

void expect_received_at_tail(int max_train) {
  GridBench b(torus({4, 4}), max_train);
  b.program(0, [](comm::Rank& r) {
    for (int i = 0; i < 2; ++i) r.isend(1, {{}, 300_B, {}, {}});
  });
  b.program(1, [](comm::Rank& r) {
    for (int i = 1; i <= 2; ++i) {
      r.recv(0, {{}, 300_B, {}, {}});
      CHECK(r.now() == 23_ns + 1_ns * (17 + 4) * i);  // 3 wires, 2 routers and terminals; packets of 17 and 4 flits
    }
  });
  b.run();
}

}  // namespace

TEST_CASE("zero-load latency in an 8x8 torus is that of its wires and routers") {
  // 1 cycle to send, 5 ns a wire, 3 cycles a router, 5 flits of 1 ns, 1 cycle to receive.
  expect_latencies(torus({8, 8}), 64_B,
                   [](int wires, Time) { return 1_ns + 5_ns * wires + 3_ns * (wires - 1) + 5_ns + 1_ns; });
}

TEST_CASE("zero-load latency in a ring of 16, for messages of one byte") {
  expect_latencies(ring(16), 1_B,
                   [](int wires, Time) { return 1_ns + 5_ns * wires + 3_ns * (wires - 1) + 1_ns + 1_ns; });
}

TEST_CASE("a message of many packets costs its flits once") {
  // 4,000 B: 15 packets of 17 flits, one of 160 B in 11.
  expect_latencies(mesh({4, 3}), 4000_B, [](int wires, Time) {
    return 1_ns + 5_ns * wires + 3_ns * (wires - 1) + 1_ns * (15 * 17 + 11) + 1_ns;
  });
}

TEST_CASE("clocks that do not fit the wire: every edge is waited for") {
  Network n = torus({4, 4, 4});
  n.router.clock = Frequency(700'000'000);
  n.terminal.clock = Frequency(333'000'000);
  n.terminal.send_latency = 7;
  n.link.bandwidth = Rate::bytes_per_second(7'000'000'000);
  n.link.flight = Time::from_fs(4'321'987);
  expect_latencies(n, 100_B, [&n](int wires, Time posted) { return latency_of(n, 100_B, wires, posted); });
}

TEST_CASE("a message starts at once, completes with its tail on the wire") {
  GridBench b(ring(4));
  b.program(0, [](comm::Rank& r) {
    r.wait_until(10_ns);
    const comm::Request first = r.isend(1, {{}, 64_B, {}, {}});
    const comm::Request second = r.isend(1, {{}, 64_B, {}, {}});
    CHECK(!r.test(first, Milestone::started));
    r.wait(second);
    CHECK(r.now() == 21_ns);
    CHECK(r.test(first));
    CHECK(first.at(Milestone::started) == 10_ns);
    CHECK(first.at(Milestone::completed) == 16_ns);  // 1 cycle, 5 flits
    CHECK(second.at(Milestone::started) == 15_ns);
    CHECK(!r.test(second, Milestone::delivered));
    r.wait(second, Milestone::delivered);
  });
  b.run();
}

TEST_CASE("a stream keeps every wire of its path full") {
  GridBench b(ring(16));
  b.program(0, [](comm::Rank& r) {
    const comm::Request q = deliver(r, 8, 1_MiB);
    CHECK(q.at(Milestone::delivered) == 1_ns + 5_ns * 10 + 3_ns * 9 + 1_ns * (4096 * 17) + 1_ns);
  });
  b.run();
  for (const router::Router* router : b.machine().all<router::Router>())
    for (const net::Port& p : router->ports())
      if (p.connected()) CHECK(p.channel().counters().credit_wait == 0_ns);
}

TEST_CASE("a buffer of one packet bounds the rate to a packet a credit loop") {
  Network n = ring(4);
  n.router.buffer_flits = 17;
  GridBench b(n);
  constexpr int packets = 100;
  b.program(0, [](comm::Rank& r) {
    const comm::Request q = deliver(r, 1, 256_B * packets);
    // The terminal's cycle, the wire, the router, the packet out of the buffer, the credit home.
    const Time loop = 1_ns + 5_ns + 3_ns + 17_ns + 5_ns;
    CHECK(q.at(Milestone::delivered) == 1_ns + 5_ns * 3 + 3_ns * 2 + 17_ns + 1_ns + loop * (packets - 1));
  });
  b.run();
}

TEST_CASE("fifteen senders share the wire to one receiver packet by packet") { expect_fair_incast(crossbar(16)); }

TEST_CASE("packets of a pair keep their order, ping-pong works") {
  GridBench b(torus({4, 4}));
  for (int id = 0; id < 2; ++id)
    b.program(id, [](comm::Rank& r) {
      const comm::Buffer buffer{{}, 64_B, {}, {}};
      for (int i = 0; i < 10; ++i) {
        if (r.id() == 0) r.send(1, buffer);
        r.recv(1 - r.id(), buffer);
        if (r.id() == 1) r.send(0, buffer);
      }
      if (r.id() == 0) CHECK(r.now() == 28_ns * 20);  // 3 wires and 2 routers each way
    });
  b.run();
}

TEST_CASE("recv returns when the last byte is there") { expect_received_at_tail(1); }
TEST_CASE("recv returns when the last byte of a train is there") { expect_received_at_tail(64); }

TEST_CASE("trains take the same time as single packets where nobody else is") {
  GridBench b(ring(16), 64);
  b.program(0, [](comm::Rank& r) {
    const comm::Request q = deliver(r, 8, 1_MiB);
    CHECK(q.at(Milestone::delivered) == 1_ns + 5_ns * 10 + 3_ns * 9 + 1_ns * (4096 * 17) + 1_ns);
  });
  b.run();
  CHECK(b.sim().agenda().wakeups() < 10 * 4096);
}

TEST_CASE("a torus without datelines deadlocks under load") {
  Network n = ring(8);
  n.router.deadlock_free = false;
  n.router.virtual_channels = n.link.virtual_channels = 1;
  n.router.buffer_flits = 17;
  const auto stuck = [&n] {
    GridBench b(n);
    for (int from = 0; from < 8; ++from) b.program(from, [from](comm::Rank& r) { deliver(r, (from + 3) % 8, 64_KiB); });
    b.sim().run(1_s);
    return std::to_string(b.sim().unfinished().size()) + " ranks wait; " + b.machine().blocked().front();
  };
  // In a child that ends without clearing up: stacks of programs that never end own memory.
  CHECK(in_child(stuck) == "8 ranks wait; router0.d0+ - router1.d0- waits for VC 0 credits of router1.d0-");
}

namespace {

std::string failure(const Network& n) {
  try {
    GridBench b(n);
  } catch (const config::ConfigError& e) {
    return e.messages().front().text;
  }
  return "no error";
}

}  // namespace

TEST_CASE("a torus with one virtual channel is refused") {
  Network n = torus({4, 4});
  n.router.virtual_channels = n.link.virtual_channels = 1;
  CHECK(failure(n) ==
        "router0: the routes need 2 virtual channels to be free of deadlock, not 1; write \"virtual_channels\": "
        "2 at the routers and their wires, or --set '**/virtual_channels=2'");
}

TEST_CASE("wires and routers must agree on virtual channels") {
  Network n = torus({4, 4});
  n.link.virtual_channels = 4;
  CHECK(failure(n) == "router0 has 2 virtual channels, the wire at d0+ 4");
}

TEST_CASE("all ports of routers with one config have one spec, and those of terminals another") {
  GridBench b(torus({4, 4}));
  const auto routers = b.machine().all<router::Router>();
  const auto terminals = b.machine().all<router::Terminal>();
  for (const router::Router* r : routers)
    for (const net::Port& p : r->ports()) CHECK(&p.spec() == &routers.front()->ports().front().spec());
  for (const router::Terminal* t : terminals)
    CHECK(&t->ports().front().spec() == &terminals.front()->ports().front().spec());
  CHECK(&routers.front()->ports().front().spec() != &terminals.front()->ports().front().spec());
}

}  // namespace router_test
