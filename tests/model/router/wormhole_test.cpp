// SPDX-License-Identifier: Apache-2.0
// Links whose packets travel flit by flit through buffers smaller than a packet, and links that are stopped.
#include <map>

#include "support/child.hpp"
#include "support/grid_bench.hpp"

namespace wormhole_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Milestone;

namespace {

Network worms(Network n, int buffer_flits) {
  n.link.switching = router::Switching::wormhole;
  n.router.switching = router::Switching::wormhole;
  n.router.buffer_flits = buffer_flits;
  return n;
}

Network stop_go(Network n) {
  n.link.flow_control = net::FlowPolicy::stop_go;
  n.link.stop_flits = 40;
  n.link.go_flits = 20;
  n.router.buffer_flits = 200;
  return n;
}

/// Every rank sends a message to each of the first `messages` ranks, one after the other: all to one at a time. Returns
/// when each was delivered.
std::string exchange(const Network& n, Bytes size, int messages, int max_train, const std::string& findings = {}) {
  const std::string seen = in_child([&] {
    GridBench b(n, max_train, findings);
    std::string out;
    const int ranks = b.library().ranks();
    std::vector<std::string> of(static_cast<std::size_t>(ranks));
    for (int from = 0; from < ranks; ++from)
      b.program(from, [&, from](comm::Rank& r) {
        std::vector<comm::Request> all;
        for (int i = 0; i < messages; ++i) all.push_back(r.isend(i == from ? ranks - 1 : i, {{}, size, {}, {}}));
        for (comm::Request& q : all) {
          r.wait(q, Milestone::delivered);
          of[static_cast<std::size_t>(from)] += std::to_string(q.at(Milestone::delivered).fs()) + " ";
        }
      });
    if (const std::string again = max_train > 1 ? b.attempt() : std::string(); !again.empty()) return "again " + again;
    b.run();
    for (const std::string& s : of) out += s + "\n";
    return out;
  });
  return seen.rfind("again ", 0) == 0 ? exchange(n, size, messages, max_train, seen.substr(6)) : seen;
}

/// Heads and bodies on each virtual channel of each wire, in the order in which they were granted.
class Order final : public net::Listener {
 public:
  void stage(const net::StageEvent&) override {}
  void hop(const net::Hop& h) override { seen[{h.channel, h.flow_class}] += h.size.header > 0_B ? 'H' : 'b'; }
  void overhead(const net::OverheadEvent&) override {}
  void credits(const net::CreditEvent&) override {}
  std::map<std::pair<std::uint32_t, int>, std::string> seen;
};

}  // namespace

TEST_CASE("in an empty network a worm takes as long as a packet that cuts through") {
  for (const Bytes size : {1_B, 8_B, 9_B, 64_B, 256_B, 4000_B}) {
    const auto times = [&](const Network& n) {
      return in_child([&] {
        GridBench b(n);
        std::string out;
        b.program(0, [&](comm::Rank& r) {
          for (int to = 1; to < r.size(); ++to) {
            const comm::Request q = deliver(r, to, size);
            out += std::to_string((q.at(Milestone::delivered) - q.at(Milestone::posted)).fs()) + " ";
          }
        });
        b.run();
        return out;
      });
    };
    CHECK(times(worms(torus({4, 4}), 64)) == times(torus({4, 4})));
  }
}

TEST_CASE("a buffer of two flits bounds a worm to two flits a credit loop") {
  // A flit takes a cycle to send, flies 5 ns, passes 3 cycles, is on the next wire for 1 ns; its credit flies 5 ns:
  // flits leave in pairs every 15 ns. 256 B and the header are 17 flits.
  GridBench b(worms(crossbar(4), 2));
  b.program(0, [&](comm::Rank& r) {
    const comm::Request q = deliver(r, 1, 256_B);
    CHECK(q.at(Milestone::delivered) - q.at(Milestone::posted) == 1_ns + 15_ns * 8 + 1_ns + 5_ns + 3_ns + 5_ns + 1_ns);
  });
  b.run();
}

TEST_CASE("a blocked worm holds the wires behind it, a packet that cuts through large buffers does not") {
  // On a line 2 sends to 3 for long; a message from 0 to 3 stops behind that and lies across the wire from 1 to 2,
  // which one from 1 to 2 wants.
  const auto order = [](Network n) {
    return in_child([&] {
      n.link.virtual_channels = n.router.virtual_channels = 1;
      GridBench b(n);
      std::string out;
      const auto send = [&](int from, int to, Bytes size, Time at) {
        b.program(from, [&, from, to, size, at](comm::Rank& r) {
          r.compute(at);
          deliver(r, to, size);
          out += std::to_string(from);
        });
      };
      send(2, 3, 4096_B, 0_ns);
      send(0, 3, 256_B, 1_ns);
      send(1, 2, 64_B, 40_ns);
      b.run();
      return out;
    });
  };
  Network line = mesh({4});
  line.link.max_payload = 4096_B;
  line.router.buffer_flits = 1000;
  CHECK(order(line) == "120");
  CHECK(order(worms(line, 4)) == "201");
}

TEST_CASE("between head and tail of a worm nobody else is on its virtual channel") {
  GridBench b(worms(torus({4, 4}), 3));
  Order order;
  b.machine().listen(order);
  for (int from = 0; from < 16; ++from)
    b.program(from, [from](comm::Rank& r) {
      std::vector<comm::Request> all;
      for (int i = 1; i < 16; ++i)
        all.push_back(
            r.isend((from + i * 5) % 16 == from ? (from + 1) % 16 : (from + i * 5) % 16, {{}, 256_B, {}, {}}));
      for (comm::Request& q : all) r.wait(q, Milestone::delivered);
    });
  REQUIRE(b.sim().run(1_s));
  const std::string worm = "H" + std::string(16, 'b');
  std::size_t worms_seen = 0;
  for (const auto& [where, text] : order.seen) {
    REQUIRE(text.size() % worm.size() == 0);
    for (std::size_t i = 0; i < text.size(); i += worm.size(), ++worms_seen)
      REQUIRE(text.substr(i, worm.size()) == worm);
  }
  CHECK(worms_seen > 700);
}

TEST_CASE("worms in trains arrive when worms flit by flit do") {
  for (const int buffer : {1, 5, 64}) {
    const Network n = worms(torus({4, 4}), buffer);
    CHECK(exchange(n, 700_B, 6, 64) == exchange(n, 700_B, 6, 1));
  }
}

TEST_CASE("a network that is stopped and let go delivers all, in trains as packet by packet") {
  const Network n = stop_go(torus({4, 4}));
  const std::string alone = exchange(n, 3000_B, 6, 1);
  CHECK(exchange(n, 3000_B, 6, 64) == alone);
  Network free = n;
  free.link.stop_flits = 100'000;
  free.router.buffer_flits = 200'000;
  CHECK(exchange(free, 3000_B, 6, 1) != alone);  // it was stopped
}

TEST_CASE("marks of stop and go that do not fit are refused") {
  const auto refusal = [](Network n) {
    return in_child([&]() -> std::string {
      try {
        GridBench b(n);
      } catch (const std::exception& e) {
        return e.what();
      }
      return "none";
    });
  };
  using Catch::Matchers::Contains;
  Network n = stop_go(torus({4, 4}));
  CHECK(refusal(n) == "none");
  n.link.go_flits = 40;
  CHECK_THAT(refusal(n), Contains("drains to 40 before the sender goes on"));
  n = stop_go(torus({4, 4}));
  n.router.buffer_flits = 60;
  CHECK_THAT(refusal(n), Contains("its sender stops at 40, and up to 34 more may be under way"));
  n = torus({4, 4});
  n.link.flow_control = net::FlowPolicy::none;
  CHECK_THAT(refusal(n), Contains("library datagram recovers nothing"));
}

}  // namespace wormhole_test
