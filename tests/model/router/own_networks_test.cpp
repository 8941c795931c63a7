// SPDX-License-Identifier: Apache-2.0
// Networks that are listed, link by link or edge by edge, against closed forms and against regular ones.
#include <map>

#include "stats/random.hpp"
#include "support/child.hpp"
#include "support/grid_bench.hpp"
#include "support/topo/networks.hpp"
#include "topo/edge_list.hpp"
#include "topo/graphs/explicit.hpp"
#include "topo/routes/catalog.hpp"

namespace own_networks_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Milestone;

namespace {

/// A link of the machine below, as a packet passes it.
struct Cable {
  std::string a;
  std::string b;
  Rate rate;      // infinite: the wire's
  Length length;  // none: the wire's flight
};

/// Three routers in a row, with hosts h0 and h1 at the first, h2 at the second and h3 in a group at the third.
struct Row {
  router::RouterConfig router = [] {
    router::RouterConfig c;
    c.buffer_flits = 64;
    return c;
  }();
  router::TerminalConfig terminal = {};
  router::LinkConfig link = {};
  std::vector<Cable> cables = {{"s0.r", "s1.l", {}, 3_m},
                               {"s1.r", "s2.l", Rate::bytes_per_second(7'000'000'000), 12_m},
                               {"h0.net", "s0.a", {}, {}},
                               {"h1.net", "s0.b", Rate::bytes_per_second(1'000'000'000), 50_um},
                               {"h2.net", "s1.a", {}, Length(123'457)},
                               {"node.h3.net", "s2.a", Rate::bytes_per_second(32'000'000'000), 1_m}};

  topo::Graph graph() const {
    topo::GroupConfig node;
    node.devices = {{"h3", any_of("terminal", terminal)}};
    topo::ExplicitConfig c;
    for (const char* name : {"s0", "s1", "s2"}) c.all.devices.emplace_back(name, any_of("router", router));
    for (const char* name : {"h0", "h1", "h2"}) c.all.devices.emplace_back(name, any_of("terminal", terminal));
    c.all.devices.emplace_back("node", any_of("group", node));
    for (const Cable& each : cables) {
      topo::LinkConfig l;
      l.ends = {each.a, each.b};
      l.wire = any_of("link", link);
      l.rate = each.rate;
      l.length = each.length;
      c.all.links.push_back(l);
    }
    c.networks.push_back({"net", {"s0", "s1", "s2"}, any_of("shortest", topo::ShortestConfig{})});
    return topo::build(any_of("explicit", c));
  }

  /// Links from one host to another, by their numbers above.
  std::vector<std::size_t> way(int from, int to) const {
    constexpr int router_of[] = {0, 0, 1, 2};
    std::vector<std::size_t> out{static_cast<std::size_t>(2 + from)};
    for (int at = router_of[from]; at != router_of[to]; at += at < router_of[to] ? 1 : -1)
      out.push_back(static_cast<std::size_t>(at < router_of[to] ? at : at - 1));
    out.push_back(static_cast<std::size_t>(2 + to));
    return out;
  }

  Time length_of(std::size_t cable, Bytes payload) const {
    const Rate rate = cables[cable].rate.is_infinite() ? link.bandwidth : cables[cable].rate;
    return rate.time(link.flit * units_of(link.header + payload, link.flit));
  }
  Time flight_of(std::size_t cable) const {
    return cables[cable].length == Length::zero() ? link.flight : Time::from_fs(cables[cable].length.um() * 5);
  }

  /// Of one packet in the empty network: no wire starts before the router's latency is over, nor so early that it
  /// would run dry.
  Time latency_of(Bytes payload, int from, int to, Time posted) const {
    const Clock at_terminal(terminal.clock), at_router(router.clock);
    const std::vector<std::size_t> cables_on_way = way(from, to);
    Time head = at_terminal.after(posted, terminal.send_latency);
    for (std::size_t i = 1; i < cables_on_way.size(); ++i) {
      const Time in = head + flight_of(cables_on_way[i - 1]);
      const Time tail = in + length_of(cables_on_way[i - 1], payload);
      head = std::max(at_router.after(in, router.latency),
                      at_router.after(tail, router.latency) - length_of(cables_on_way[i], payload));
    }
    const std::size_t last = cables_on_way.back();
    return at_terminal.after(head + length_of(last, payload) + flight_of(last), terminal.receive_latency) - posted;
  }
};

/// One message from every host to every other, alone in the network.
void expect_latencies(const Row& row, Bytes payload) {
  GridBench b(row.graph());
  for (int from = 0; from < 4; ++from)
    b.program(from, [&row, from, payload](comm::Rank& r) {
      for (int to = 0; to < 4; ++to) {
        if (to == from) continue;
        r.wait_until(Time(1_us) * (1 + 4 * from + to));
        const comm::Request q = deliver(r, to, payload);
        CAPTURE(from, to);
        const Time posted = q.at(Milestone::posted);
        REQUIRE(q.at(Milestone::delivered) - posted == row.latency_of(payload, from, to, posted));
      }
    });
  b.run();
}

/// Edges and routes of a network, as a list and a table: the same ways.
topo::Graph listed(const SharedNetwork& net, const topo::NetworkParts& parts, int terminals) {
  topo::EdgeListConfig c;
  c.parts = parts;
  c.terminals = terminals;
  std::map<std::pair<int, int>, std::string> port_names;
  std::vector<int> next(static_cast<std::size_t>(net->routers()));
  const auto port = [&](topo::RouterPort p) {
    port_names[{p.router, p.port}] = "p" + std::to_string(next[static_cast<std::size_t>(p.router)]++);
  };
  for (const topo::Network::Cable& cable : net->cables()) {
    c.edges.push_back(std::to_string(cable.a.router) + " " + std::to_string(cable.b.router));
    port(cable.a);
    port(cable.b);
  }
  topo::TableConfig table;
  table.allow_deadlock = true;  // which classes of virtual channels prevent in a torus, and one message alone anyway
  for (int r = 0; r < net->routers(); ++r)
    for (int t = 0; t < net->terminals(); ++t)
      if (net->router_of(t) != r)
        table.entries.push_back(std::to_string(r) + " " + std::to_string(t) + " " +
                                port_names[{r, net->routes().next(r, topo::trip_of(0, t)).port}]);
  c.routes = any_of("table", table);
  return topo::build(any_of("edge_list", c));
}

/// When messages of random sizes between random ranks, posted at random times, are delivered.
std::string delivered_under_load(topo::Graph graph, int ranks) {
  GridBench b(std::move(graph));
  std::vector<std::vector<comm::Request>> sent(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank)
    b.program(rank, [&sent, rank, ranks](comm::Rank& r) {
      stats::RandomStream random(1, "rank " + std::to_string(rank));
      auto& mine = sent[static_cast<std::size_t>(rank)];
      for (int i = 0; i < 30; ++i) {
        const int to = static_cast<int>((rank + 1 + random.below(ranks - 1)) % ranks);
        mine.push_back(r.isend(to, {{}, Bytes(1 + random.below(600)), {}, {}}));
        r.wait_until(r.now() + Time::from_fs(random.below(30'000'000)));
      }
      for (const comm::Request& q : mine) r.wait(q, Milestone::delivered);
    });
  b.run();
  std::string out;
  for (const auto& requests : sent)
    for (const comm::Request& q : requests) out += std::to_string(q.at(Milestone::delivered).fs()) + " ";
  return out;
}

}  // namespace

TEST_CASE("zero-load latency over listed links is that of their own rates and lengths") { expect_latencies({}, 64_B); }

TEST_CASE("zero-load latency over listed links with clocks that do not fit them") {
  Row row;
  row.router.clock = Frequency(700'000'000);
  row.terminal.clock = Frequency(333'000'000);
  expect_latencies(row, 200_B);
}

TEST_CASE("an edge list with the table of a torus has the times of the torus") {
  const Network torus_4x4 = torus({4, 4});
  GridBench b(listed(grid_network({4, 4}, true), parts_of(torus_4x4), 1));
  b.program(0, [](comm::Rank& r) {
    const SharedNetwork regular = grid_network({4, 4}, true);
    for (int to = 1; to < r.size(); ++to) {
      const comm::Request q = deliver(r, to, 64_B);
      const int wires = wires_between(*regular, 0, to);
      REQUIRE(q.at(Milestone::delivered) - q.at(Milestone::posted) ==
              1_ns + 5_ns * wires + 3_ns * (wires - 1) + 5_ns + 1_ns);
    }
  });
  b.run();
}

TEST_CASE("shortest routes of a listed line are the mesh of one dimension under load") {
  const Network line = [] {
    Network n = mesh({8});
    n.terminals = 2;
    return n;
  }();
  topo::EdgeListConfig c;
  c.parts = parts_of(line);
  c.terminals = 2;
  for (int r = 6; r >= 0; --r) c.edges.push_back(std::to_string(r) + " " + std::to_string(r + 1));  // up before down
  c.routes = any_of("shortest", topo::ShortestConfig{});
  const std::string regular = in_child([&] { return delivered_under_load(graph_of(line), 16); });
  CHECK(regular == in_child([&] { return delivered_under_load(topo::build(any_of("edge_list", c)), 16); }));
}

TEST_CASE("a wire that packets from a terminal do not fit is refused with both") {
  topo::ExplicitConfig c;
  c.all.devices.emplace_back("s0", any_of("router", router::RouterConfig{}));
  for (const auto& [host, port, most] : {std::tuple("h0", "s0.a", 256_B), std::tuple("h1", "s0.b", 64_B)}) {
    c.all.devices.emplace_back(host, any_of("terminal", router::TerminalConfig{}));
    router::LinkConfig wire;
    wire.max_payload = most;
    topo::LinkConfig l;
    l.ends = {host + std::string(".net"), port};
    l.wire = any_of("link", wire);
    c.all.links.push_back(l);
  }
  c.networks.push_back({"net", {"s0"}, any_of("shortest", topo::ShortestConfig{})});
  sim::Simulation sim;
  CHECK_THROWS_WITH(Machine(sim, topo::build(any_of("explicit", c)), model_catalog()),
                    Catch::Contains("from h0, but the wire at ") && Catch::Contains(" to h1 carries 64 B"));
}

}  // namespace own_networks_test
