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
std::string times(const Network& n, int max_train) {
  return in_child([&] {
    GridBench b(n, max_train);
    const int ranks = b.library().ranks();
    std::vector<std::string> out(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank)
      b.program(rank, [&, rank](comm::Rank& r) {
        std::vector<comm::Request> all;
        for (int i = 1; i < ranks; ++i) all.push_back(r.isend((rank + 5 * i) % ranks, {{}, 2_KiB, {}, {}}));
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

TEST_CASE("messages that somebody receives are delivered in their order, others as they come") {
  CHECK(overtaken(Receive::direct) == "0");
  CHECK(overtaken(Receive::two_sided) == "0");
  CHECK(overtaken(Receive::nobody) != "0");
}

TEST_CASE("messages that nobody receives wait for none of those that are received") {
  GridBench b(adaptive(mesh({2, 2}), GridRouting::valiant, 2));
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
  CHECK(delivered == 8);
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
    const std::string alone = times(n, 1);
    CHECK(!alone.empty());
    CHECK(times(n, 64) == alone);
    Network queued = input_queued(n);
    CHECK(times(queued, 64) == times(queued, 1));
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
