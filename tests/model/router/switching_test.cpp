// SPDX-License-Identifier: Apache-2.0
// Store and forward, virtual cut-through and wormhole against the closed forms in which they differ.
#include "support/child.hpp"
#include "support/grid_bench.hpp"
#include "support/topo/networks.hpp"

namespace switching_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Milestone;

namespace {

Network switched(Network n, router::Switching s) {
  n.router.switching = n.link.switching = s;
  return n;
}

Network stored(Network n) { return switched(std::move(n), router::Switching::store_and_forward); }

/// One message from rank 0 to every other in turn; `formula` of the wires between and when it was posted.
void expect_latencies(const Network& n, Bytes payload, const std::function<Time(int wires, Time posted)>& formula) {
  GridBench b(n);
  b.program(0, [&](comm::Rank& r) {
    for (int to = 1; to < r.size(); ++to) {
      const comm::Request q = deliver(r, to, payload);
      const Time posted = q.at(Milestone::posted);
      const int wires = wires_between(b.machine().all<router::PlacedRouter>().front()->routing().network(), 0, to);
      REQUIRE(q.at(Milestone::delivered) - posted == formula(wires, posted));
    }
  });
  b.run();
}

/// A packet of `flits` flits over `wires` wires and a router less: what no switching can change.
Time way(int wires) { return 1_ns + 5_ns * wires + 3_ns * (wires - 1) + 1_ns; }

/// When a message of each of twelve ranks to the fifth behind it was delivered.
std::string times(int max_train, const std::string& findings = {}) {
  const std::string seen = in_child([&] {
    GridBench b(stored(mesh({4, 3})), max_train, findings);
    std::vector<std::string> each(12);
    for (std::size_t from = 0; from < each.size(); ++from)
      b.program(static_cast<int>(from), [&each, from](comm::Rank& r) {
        const comm::Request q = deliver(r, (static_cast<int>(from) + 5) % r.size(), 4000_B);
        each[from] = std::to_string(q.at(Milestone::delivered).fs()) + " ";
      });
    if (const std::string again = max_train > 1 ? b.attempt() : ""; !again.empty()) return "again " + again;
    b.run();
    std::string out;
    for (const std::string& s : each) out += s;
    return out;
  });
  return seen.rfind("again ", 0) == 0 ? times(max_train, seen.substr(6)) : seen;
}

}  // namespace

TEST_CASE("store and forward: a packet's length counts on every wire") {
  // 17 flits of 1 ns
  expect_latencies(stored(mesh({8})), 256_B, [](int wires, Time) { return way(wires) + 17_ns * wires; });
}

TEST_CASE("store and forward: a packet's length counts on every wire behind input-queued routers, too") {
  expect_latencies(input_queued(stored(mesh({8}))), 256_B, [](int wires, Time) { return way(wires) + 17_ns * wires; });
}

TEST_CASE("store and forward: of a message of many packets one counts on every wire, the others once") {
  // 4,000 B: 15 packets of 17 flits, one of 160 B in 11, which overtakes nobody.
  expect_latencies(stored(mesh({4, 3})), 4000_B,
                   [](int wires, Time) { return way(wires) + 17_ns * wires + 1_ns * (14 * 17 + 11); });
}

TEST_CASE("store and forward: clocks that do not fit the wire: every edge behind a tail is waited for") {
  Network n = stored(torus({4, 4}));
  n.router.clock = Frequency(700'000'000);
  n.terminal.clock = Frequency(333'000'000);
  n.terminal.send_latency = 7;
  n.link.bandwidth = Rate::bytes_per_second(7'000'000'000);
  n.link.flight = Time::from_fs(4'321'987);
  const Clock terminal(n.terminal.clock), router(n.router.clock);
  const Time length = n.link.bandwidth.time(n.link.flit * units_of(n.link.header + 100_B, n.link.flit));
  expect_latencies(n, 100_B, [&](int wires, Time posted) {
    Time t = terminal.after(posted, n.terminal.send_latency);
    for (int i = 1; i < wires; ++i) t = router.after(t + length + n.link.flight, n.router.latency);
    return terminal.after(t + length + n.link.flight, n.terminal.receive_latency) - posted;
  });
}

TEST_CASE("cut-through: a packet's length counts once") {
  expect_latencies(mesh({8}), 256_B, [](int wires, Time) { return way(wires) + 17_ns; });
}

TEST_CASE("wormhole: buffers of a few flits let so many pass in a credit loop") {
  // A credit is back in the terminal 15 ns after its flit was granted: a cycle to send, 5 ns of flight, 3 cycles, a
  // flit on the wire, 5 ns. Of 17 flits each fifth starts a loop later.
  Network n = switched(mesh({8}), router::Switching::wormhole);
  n.router.buffer_flits = 4;
  expect_latencies(n, 256_B, [](int wires, Time) { return way(wires) + 15_ns * 4 + 1_ns; });
}

TEST_CASE("store and forward: trains change no result") { CHECK(times(64) == times(1)); }

}  // namespace switching_test
