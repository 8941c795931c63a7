// SPDX-License-Identifier: Apache-2.0
// Route bytes: what they say in any network, what is wrong with them, and that up*/down* ones never deadlock.
#include "model/myrinet/myrinet_bench.hpp"
#include "stats/random.hpp"
#include "support/child.hpp"
#include "support/environment.hpp"
#include "topo/fat_tree.hpp"

namespace myrinet_routes_test {

using namespace tsunagi;
using namespace tsunagi::test;
using Catch::Matchers::Contains;

namespace {

/// Edges of a random connected network.
std::vector<std::string> random_edges(stats::RandomStream& random, int crossbars) {
  std::vector<std::string> out;
  const auto join = [&out](std::uint64_t a, std::uint64_t b) {
    out.push_back(std::to_string(a) + " " + std::to_string(b));
  };
  for (int i = 1; i < crossbars; ++i) join(random.below(static_cast<std::uint64_t>(i)), static_cast<std::uint64_t>(i));
  for (std::uint64_t more = random.below(static_cast<std::uint64_t>(2 * crossbars)); more > 0; --more) {
    const std::uint64_t a = random.below(static_cast<std::uint64_t>(crossbars));
    const std::uint64_t b = random.below(static_cast<std::uint64_t>(crossbars));
    if (a != b) join(a, b);
  }
  return out;
}

config::AnyConfig up_down() { return MyrinetParts::any_of("up_down", topo::UpDownConfig{"router0"}); }

/// What an error of a run says.
std::string error_of(const std::function<void(MyrinetBench&)>& f, const topo::Graph& g) {
  return in_child([&]() -> std::string {
    MyrinetBench b(g);
    f(b);
    try {
      b.simulation().run(1_s);
    } catch (const std::exception& e) {
      return e.what();
    }
    return "none";
  });
}

/// Of `n` bytes, all to an output.
myrinet::SourceRoute route_of(const std::vector<int>& outputs) {
  myrinet::SourceRoute r;
  for (const int o : outputs) r.add(o);
  return r;
}

}  // namespace

TEST_CASE("Myrinet: in random networks up*/down* worms reach everybody and never wait in a circle") {
  for (std::int64_t seed = 1; seed <= from_environment("TSUNAGI_SEEDS", 25); ++seed) {
    CAPTURE(seed);
    const std::string seen = in_child([&] {
      stats::RandomStream random(static_cast<std::uint64_t>(seed), "networks");
      MyrinetParts p;
      p.link.stop = 60_B;  // much less than a packet
      p.link.go = 30_B;
      p.link.max_route = 16;
      const int crossbars = 3 + static_cast<int>(random.below(6));
      MyrinetBench b(p.edges(random_edges(random, crossbars), 2, up_down()));
      for (int from = 0; from < b.hosts(); ++from)
        for (int i = 1; i < b.hosts(); ++i) {
          const Bytes n(static_cast<std::int64_t>(random.below(1500)));
          b.at(0_ns, [&b, from, i, n] { b.host(from).send_to((from + i) % b.hosts(), n); });
        }
      b.run();
      for (int h = 0; h < b.hosts(); ++h) REQUIRE(b.host(h).whole() == static_cast<std::size_t>(b.hosts() - 1));
      return std::string("ok");
    });
    CHECK(seen == "ok");
  }
}

TEST_CASE("Myrinet: worms that wait for each other in a circle stay, and the wires say for which port") {
  MyrinetParts p;
  p.link.stop = 60_B;
  p.link.go = 30_B;
  const topo::Graph ring =
      p.edges({"0 1", "1 2", "2 3", "3 4", "4 0"}, 1, MyrinetParts::any_of("shortest", topo::ShortestConfig{true}));
  const std::string seen = in_child([&] {
    MyrinetBench b(ring);
    for (int from = 0; from < 5; ++from) b.at(0_ns, [&b, from] { b.host(from).send_to((from + 2) % 5, 8000_B); });
    b.simulation().run(1_s);
    std::string out;
    for (const std::string& s : b.machine().blocked()) out += s + "\n";
    for (const std::string& s : b.machine().leftovers()) out += s + "\n";
    for (int h = 0; h < 5; ++h) REQUIRE(b.host(h).whole() == 0);
    return out;
  });
  CHECK_THAT(seen, Contains("waits for slack buffer of router1.p0"));
  CHECK_THAT(seen, Contains("router1: a packet that came by p0 is on its way to p1"));
}

TEST_CASE("Myrinet: a worm to a port with nothing connected is an error that names the port") {
  const MyrinetParts p;
  topo::FatTreeConfig tree;
  tree.radix = 4;
  tree.nodes = 3;
  tree.parts = p.parts();
  const topo::Graph g = topo::build(MyrinetParts::any_of("fat_tree", tree));
  CHECK_THAT(error_of([](MyrinetBench& b) { b.at(0_ns, [&b] { b.host(2).send(route_of({1}), 8_B); }); }, g),
             Contains("router1: a packet that came by d0 is to leave by port 1 (d1), at which nothing is connected"));
  CHECK_THAT(error_of([](MyrinetBench& b) { b.at(0_ns, [&b] { b.host(2).send(route_of({9}), 8_B); }); }, g),
             Contains("router1: a packet that came by d0 is to leave by port 9, at which nothing is connected"));
}

TEST_CASE("Myrinet: a route that ends at a crossbar is an error") {
  const MyrinetParts p;
  CHECK_THAT(error_of([](MyrinetBench& b) { b.at(0_ns, [&b] { b.host(0).send(route_of({}), 8_B); }); }, p.row(2)),
             Contains("router0: a packet came by ") && Contains("whose route has ended before"));
}

TEST_CASE("Myrinet: routes of other kinds and of too many crossbars are refused") {
  const auto refusal = [](const topo::Graph& g, int most) -> std::string {
    try {
      myrinet::check_routes(*g.networks.front(), 0, most, "card");
    } catch (const config::ConfigError& e) {
      return e.what();
    }
    return "none";
  };
  const MyrinetParts p;
  CHECK(refusal(p.row(5), 5) == "none");
  CHECK_THAT(refusal(p.row(5), 4),
             Contains("card: the route to terminal 4 has 5 bytes, one a crossbar, but a packet carries 4 at most"));
  const topo::Graph torus = topo::build(MyrinetParts::any_of("torus", topo::GridConfig{{5, 5}, 1, {}, p.parts()}));
  CHECK_THAT(refusal(torus, 16), Contains("need 2 classes of virtual channels"));
  topo::GridConfig adaptive{{4, 4}, 1, {topo::GridRouting::minimal_adaptive, {}}, p.parts()};
  CHECK_THAT(refusal(topo::build(MyrinetParts::any_of("mesh", adaptive)), 16), Contains("brings its route along"));
}

TEST_CASE("Myrinet: route bytes are the outputs on the way, with their top bit set") {
  const MyrinetParts p;
  const topo::Graph g = p.row(3, 2);
  const topo::Network& net = *g.networks.front();
  const myrinet::SourceRoute r = myrinet::source_route(net, 0, 5);
  REQUIRE(r.size == 3);
  int at = 0;
  for (int i = 0; i < 3; ++i) {
    CHECK((r.bytes[i] & 0x80) != 0);
    const topo::Network::Peer& next = net.peer(at, r.bytes[i] & 0x7f);
    if (i < 2) REQUIRE(next.kind == topo::Network::Peer::Kind::router);
    if (i == 2) CHECK((next.kind == topo::Network::Peer::Kind::terminal && next.number == 5));
    at = next.number;
  }
}

}  // namespace myrinet_routes_test
