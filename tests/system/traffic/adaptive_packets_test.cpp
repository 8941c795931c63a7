// SPDX-License-Identifier: Apache-2.0
// Packets over adaptive routes: each draws its own way and travels by itself, and what somebody receives is in order.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/child.hpp"
#include "support/grid_bench.hpp"

namespace adaptive_packets_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Milestone;
using topo::GridRouting;

namespace {

Network adaptive(Network n, GridRouting routes, int virtual_channels) {
  n.routes = routes;
  n.router.virtual_channels = n.link.virtual_channels = virtual_channels;
  n.router.buffer_flits = 128;
  return n;
}

enum class Receive : std::uint8_t { nobody, direct, two_sided };

/// How often a message was delivered before one that its sender had sent to the same rank earlier. Every rank of a
/// 4x4 torus sends its fifth neighbour 30 messages of one packet and of eight.
std::string overtaken(Receive receive) {
  return in_child([receive] {
    GridBench b(adaptive(torus({4, 4}), GridRouting::valiant, 4));
    if (receive == Receive::nobody) b.library().expect_no_recv();
    int out = 0;
    for (int rank = 0; rank < 16; ++rank)
      b.program(rank, [&, rank](comm::Rank& r) {
        const int to = (rank + 5) % 16, from = (rank + 11) % 16;
        comm::Group g = r.world();
        std::vector<comm::Request> all;
        for (int i = 0; i < 30; ++i) {
          const comm::Buffer what{{}, i % 3 == 0 ? 2_KiB : 64_B, {}, {}};
          all.push_back(receive == Receive::two_sided ? g.isend(to, 0, what) : r.isend(to, what));
        }
        for (int i = 0; i < 30 && receive != Receive::nobody; ++i) {
          if (receive == Receive::two_sided)
            g.recv(from, 0, {{}, 2_KiB, {}, {}});
          else
            r.recv(from, {{}, 2_KiB, {}, {}});
        }
        Time last;
        for (const comm::Request& q : all) {
          r.wait(q, Milestone::delivered);
          if (q.at(Milestone::delivered) < last) ++out;
          last = std::max(last, q.at(Milestone::delivered));
        }
      });
    b.run();
    return std::to_string(out);
  });
}

/// When the messages of all ranks to several others were delivered.
std::string times(const Network& n, int max_train, Bytes size) {
  return in_child([&] {
    GridBench b(n, max_train);
    const int ranks = b.library().ranks();
    std::vector<std::string> out(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank)
      b.program(rank, [&, rank](comm::Rank& r) {
        std::vector<comm::Request> all;
        for (int i = 1; i < 3 * ranks; ++i)
          if (i % ranks != 0) all.push_back(r.isend((rank + 5 * i) % ranks, {{}, size, {}, {}}));
        for (const comm::Request& q : all) {
          r.wait(q, Milestone::delivered);
          out[static_cast<std::size_t>(rank)] += std::to_string(q.at(Milestone::delivered).fs()) + ' ';
        }
      });
    CHECK(b.attempt().empty());
    std::string sum;
    for (const std::string& s : out) sum += s + '\n';
    return sum;
  });
}

}  // namespace

TEST_CASE("datagrams that somebody receives are delivered in their order, others as they come") {
  CHECK(overtaken(Receive::direct) == "0");
  CHECK(overtaken(Receive::nobody) != "0");
  CHECK(overtaken(Receive::two_sided) != "0");  // messages get their order back where they are matched
}

TEST_CASE("messages that nobody receives wait for none of those that are received") {
  for (const int max_train : {1, 64}) {
    CAPTURE(max_train);
    CHECK(in_child([max_train] {
            GridBench b(adaptive(mesh({2, 2}), GridRouting::valiant, 2), max_train);
            b.library().expect_no_recv();
            int delivered = 0;
            b.program(0, [&](comm::Rank& r) {
              comm::Group g = r.world();
              for (int i = 0; i < 4; ++i) g.send(3, 0, {{}, 64_B, {}, {}});
              g.recv(3, 0, {{}, 64_B, {}, {}});
              std::vector<comm::Request> all;
              for (int i = 0; i < 8; ++i) all.push_back(r.isend(3, {{}, 64_B, {}, {}}));
              for (const comm::Request& q : all) {
                r.wait(q, Milestone::delivered);
                ++delivered;
              }
            });
            b.program(3, [](comm::Rank& r) {
              comm::Group g = r.world();
              for (int i = 0; i < 4; ++i) g.recv(0, 0, {{}, 64_B, {}, {}});
              g.send(0, 0, {{}, 64_B, {}, {}});
            });
            b.run();
            return std::to_string(delivered);
          }) == "8");
  }
}

TEST_CASE("every packet of a message draws a way of its own") {
  GridBench b(adaptive(torus({4, 4}), GridRouting::valiant, 4));
  b.program(0, [](comm::Rank& r) { r.isend(5, {{}, 256_B * 64, {}, {}}); });
  b.run();
  const net::Device& router = *b.machine().all<router::Router>().front();
  std::int64_t sum = 0;
  // Of 16 routers to turn at, in dimension order: up and down the first dimension 4 or more, the second 1 or more.
  for (const char* port : {"d0+", "d0-", "d1+", "d1-"}) {
    const net::Port& out = router.ports()[static_cast<std::size_t>(router.find_port(port))];
    CHECK(out.channel().counters().packets > 0);
    sum += out.channel().counters().packets;
  }
  CHECK(sum >= 64);
}

TEST_CASE("packets over adaptive routes travel one by one whatever the longest train") {
  for (const GridRouting routes : {GridRouting::minimal_adaptive, GridRouting::ugal}) {
    const Network n = adaptive(torus({4, 3}), routes, 6);
    for (const Network& each : {n, input_queued(n)})
      for (const Bytes size : {8_B, 2_KiB}) {
        const std::string alone = times(each, 1, size);
        CHECK(!alone.empty());
        CHECK(times(each, 64, size) == alone);
      }
  }
}

TEST_CASE("packets of a pair spread over the virtual channels of their terminal's wire") {
  // A buffer of one packet a channel: two channels are free twice as often as one.
  const auto end = [](int virtual_channels) {
    Network n = adaptive(mesh({2}), GridRouting::minimal_adaptive, virtual_channels);
    n.router.buffer_flits = 17;
    GridBench b(n);
    Time last;
    b.program(0, [&last](comm::Rank& r) { last = deliver(r, 1, 256_B * 64).at(Milestone::delivered); });
    b.run();
    return last;
  };
  const std::string one = in_child([&] { return std::to_string(end(1).fs()); });
  CHECK(static_cast<double>(end(4).fs()) < 0.8 * std::stod(one));
}

TEST_CASE("a packet that waits for its own tail is ahead of others from when its router has it") {
  // Terminals' wires bring and take a flit in 2 ns, the others in 1 ns.
  const Network n = adaptive(ring(4), GridRouting::minimal_adaptive, 2);
  router::LinkConfig slow = n.link;
  slow.bandwidth = slow.bandwidth.scaled(1, 2);
  topo::NetworkParts parts = parts_of(n);
  parts.terminal_wire = any_of("link", slow);
  GridBench b(topo::build(any_of("torus", topo::GridConfig{n.sizes, 1, {n.routes, {}}, parts})));
  std::vector<int> ahead;  // nanoseconds at which it was
  b.program(0, [](comm::Rank& r) { r.isend(1, {{}, 256_B, {}, {}}); });
  b.sim().spawn("probe", [&](Fiber& f) {
    const net::Device& router = *b.machine().all<router::Router>().front();
    const net::Channel& out = router.ports()[static_cast<std::size_t>(router.find_port("d0+"))].channel();
    for (int t = 1; t < 100; ++t) {
      f.wait_any({}, 1_ns * t, "the next nanosecond");
      if (out.backlog() == 17) ahead.push_back(t);
    }
  });
  b.run();
  // Offered at 9 ns as on equal wires; its 34 ns end with the 17 ns of the fast wire, so it starts at 26 ns. 5 of
  // flight and 3 cycles, 34 until its tail has left the next router's buffer, 5 for the credit: 73 ns.
  REQUIRE(!ahead.empty());
  CHECK(ahead.front() == 10);
  CHECK(ahead.back() == 73);
  CHECK(ahead.size() == 64);
}

TEST_CASE("behind an input queue a packet chooses when it has become the first, not when it came") {
  // A mesh of 2 x 2, four ranks at each router; packets of 17 ns, at a router 9 ns after they were sent.
  Network n = adaptive(mesh({2, 2}), GridRouting::minimal_adaptive, 1);
  n.router.deadlock_free = false;
  const topo::NetworkParts parts = parts_of(input_queued(n));
  // With UGAL the second packet of rank 0 has drawn router 2, up the second dimension.
  topo::ChoiceConfig choice{0, 0};
  const std::uint32_t mix = router::header_of(0, 12, 1, 1).mix;
  while (topo::pick_of(4, topo::mix_of(mix, static_cast<std::uint32_t>(choice.seed))) != 2) ++choice.seed;
  const auto run = [&](GridRouting routes) {
    GridBench b(topo::build(any_of("mesh", topo::GridConfig{n.sizes, 4, {routes, choice}, parts})));
    const auto send_at = [&b](int rank, Time at, std::vector<int> to) {
      b.program(rank, [at, to](comm::Rank& r) {
        r.wait_until(at);
        for (const int peer : to) r.isend(peer, {{}, 256_B, {}, {}});
      });
    };
    // Ranks 2 and 3 keep the crossbar's way to rank 1 for 34 ns from 9 ns on. A packet of rank 0 waits for it from
    // 14 ns, the one behind, to the router across, from 31 ns. Up the second dimension there is a packet of rank 1
    // until 39 ns, up the first another one from 34 ns on: the way that was the longer at 31 ns is the shorter at 43
    // ns.
    send_at(2, 0_ns, {1});
    send_at(3, 0_ns, {1});
    send_at(0, 5_ns, {1, 12});
    b.program(1, [](comm::Rank& r) {
      r.isend(8, {{}, 256_B, {}, {}});
      r.wait_until(25_ns);
      r.isend(4, {{}, 256_B, {}, {}});
    });
    b.run();
    const net::Device& router = *b.machine().all<router::InputQueuedRouter>().front();
    const auto sent = [&router](const char* port) {
      const net::Port& out = router.ports()[static_cast<std::size_t>(router.find_port(port))];
      return std::to_string(out.channel().counters().packets);
    };
    return sent("d0+") + " and " + sent("d1+");
  };
  for (const GridRouting routes : {GridRouting::minimal_adaptive, GridRouting::ugal})
    CHECK(in_child([&] { return run(routes); }) == "1 and 2");
}

TEST_CASE("wires of terminals need no credits for adaptive routes") {
  const Network n = adaptive(mesh({2, 2}), GridRouting::minimal_adaptive, 2);
  router::LinkConfig stopped = n.link;
  stopped.flow_control = net::FlowPolicy::stop_go;
  topo::NetworkParts parts = parts_of(n);
  parts.terminal_wire = any_of("link", stopped);
  GridBench b(topo::build(any_of("mesh", topo::GridConfig{n.sizes, 1, {n.routes, {}}, parts})));
  b.program(0, [](comm::Rank& r) { deliver(r, 3, 2_KiB); });
  b.run();
}

}  // namespace adaptive_packets_test
