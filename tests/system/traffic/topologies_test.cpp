// SPDX-License-Identifier: Apache-2.0
// What networks carry, against the fullest wire on their routes.
#include <algorithm>
#include <cmath>

#include "stats/random.hpp"
#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/grid_bench.hpp"
#include "support/print.hpp"
#include "system/simulated.hpp"
#include "topo/crossbars.hpp"
#include "topo/dragonfly.hpp"
#include "topo/fat_tree.hpp"
#include "topo/routes/loads.hpp"

namespace topologies_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// Where each rank sends one packet after the other.
using Sends = std::vector<std::vector<int>>;

/// So many packets of each rank to one other.
Sends repeated(const std::vector<int>& destinations) {
  Sends out;
  for (const int d : destinations) out.emplace_back(400, d);
  return out;
}

std::vector<int> shifted(int ranks, int distance) {
  std::vector<int> out;
  for (int r = 0; r < ranks; ++r) out.push_back((r + distance) % ranks);
  return out;
}

void shuffle(std::vector<int>& v, stats::RandomStream& random) {
  for (std::size_t i = v.size() - 1; i > 0; --i)
    std::swap(v[i], v[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i) + 1))]);
}

Sends random_permutation(int ranks, std::uint64_t seed) {
  stats::RandomStream random(seed, "permutation");
  std::vector<int> out = shifted(ranks, 0);
  shuffle(out, random);
  return repeated(out);
}

/// As many packets of each rank to each other, in random order.
Sends uniform_batch(int ranks) {
  stats::RandomStream random(1, "order");
  Sends out;
  for (int r = 0; r < ranks; ++r) {
    std::vector<int> own;
    for (int i = 0; i < 400; ++i) own.push_back((r + 1 + i % (ranks - 1)) % ranks);
    own.resize(own.size() / static_cast<std::size_t>(ranks - 1) * static_cast<std::size_t>(ranks - 1));
    shuffle(own, random);
    out.push_back(own);
  }
  return out;
}

/// Buffers of more than a credit loop: 17 flits of a packet, twice 5 ns of flight, 3 ns of a router.
Network parts(int virtual_channels = 1) {
  Network n;
  n.router.virtual_channels = n.link.virtual_channels = virtual_channels;
  n.router.buffer_flits = 128;
  return n;
}

topo::FatTreeConfig fat_tree(int radix, int levels, std::vector<std::int64_t> taper = {},
                             topo::UpRoutes routes = topo::UpRoutes::d_mod_k) {
  return {radix, levels, 0, std::move(taper), routes, 1, {}, parts_of(parts())};
}

/// The share of its injection rate that the fullest wire leaves every rank.
double bound(const topo::Network& network, const Sends& sends) {
  const std::size_t ranks = sends.size();
  std::vector<std::int64_t> weights(ranks * ranks);
  for (std::size_t from = 0; from < ranks; ++from)
    for (const int to : sends[from]) ++weights[from * ranks + static_cast<std::size_t>(to)];
  const topo::Loads loads(network, [&](int from, int to) {
    return weights[static_cast<std::size_t>(from) * ranks + static_cast<std::size_t>(to)];
  });
  std::int64_t most = loads.most_sent();
  for (int r = 0; r < network.routers(); ++r)
    for (int p = 0; p < network.ports(r); ++p) most = std::max(most, loads.of(r, p));
  return static_cast<double>(loads.most_sent()) / static_cast<double>(most);
}

/// The share that every rank gets accepted: each sends as many packets of 256 bytes, 17 flits of 1 ns, at once; the
/// last comes when the slowest rank has had its share.
double accepted(const topo::Graph& graph, const Sends& sends) {
  return std::stod(in_child([&] {
    GridBench b(graph, 1, {}, false);
    Time last;
    for (std::size_t rank = 0; rank < sends.size(); ++rank)
      b.program(static_cast<int>(rank), [&, own = sends[rank]](comm::Rank& r) {
        std::vector<comm::Request> all;
        for (const int to : own) all.push_back(r.isend(to, {{}, 256_B, {}, {}}));
        for (const comm::Request& q : all) r.wait(q, comm::Milestone::delivered);
        last = std::max(last, r.now());
      });
    b.run();
    const Time alone = 17_ns * static_cast<std::int64_t>(sends.front().size());
    return std::to_string(static_cast<double>(alone.fs()) / static_cast<double>(last.fs()));
  }));
}

/// A network, what it is built into, and how near to the bound flows come.
struct Loaded {
  explicit Loaded(const config::AnyConfig& c) : graph(topo::build(c)) {}
  const topo::Network& network() const { return *graph.networks.front(); }
  /// Accepted by the bound; never more than one.
  double share(const Sends& sends) const {
    const double most = bound(network(), sends);
    const double got = accepted(graph, sends);
    CHECK(got <= most);
    return got / most;
  }
  topo::Graph graph;
};

}  // namespace

TEST_CASE("shifts on full fat-trees with D-mod-k routes come within 3 % of the injection rate") {
  for (const auto& [radix, levels] : {std::pair{8, 1}, std::pair{8, 2}, std::pair{4, 3}, std::pair{4, 4}}) {
    const Loaded tree(any_of("fat_tree", fat_tree(radix, levels)));
    const int ranks = tree.network().terminals();
    for (int distance = 1; distance < ranks; distance += ranks <= 16 ? 1 : 5) {
      CAPTURE(radix, levels, distance);
      const Sends sends = repeated(shifted(ranks, distance));
      CHECK(bound(tree.network(), sends) == 1);
      CHECK(tree.share(sends) > 0.97);
    }
  }
}

TEST_CASE("shifts on tapered fat-trees come within 3 % of their fullest wire") {
  const Loaded tree(any_of("fat_tree", fat_tree(6, 2, {2})));  // leaves of four terminals, two wires up
  for (const int distance : {1, 4, 8, 11}) {
    CAPTURE(distance);
    const Sends sends = repeated(shifted(24, distance));
    CHECK(bound(tree.network(), sends) == (distance == 1 ? 1 : 0.5));
    CHECK(tree.share(sends) > 0.97);
  }
}

TEST_CASE("no rank gets more than the fullest wire leaves it whatever the network and the traffic") {
  using topo::DragonflyRouting;
  const topo::DragonflyConfig minimal{2, 4, 2, 0, DragonflyRouting::minimal, {}, {}, parts_of(parts(2))};
  const topo::DragonflyConfig valiant{2, 4, 2, 5, DragonflyRouting::valiant, {}, {}, parts_of(parts(3))};
  for (const config::AnyConfig& c :
       {any_of("fat_tree", fat_tree(8, 2)), any_of("fat_tree", fat_tree(4, 4, {}, topo::UpRoutes::random)),
        any_of("fat_tree", fat_tree(8, 3, {3, 1})), any_of("dragonfly", minimal), any_of("dragonfly", valiant),
        any_of("crossbars", topo::CrossbarsConfig{{4, 4}, {}, parts_of(parts())}),
        any_of("crossbars", topo::CrossbarsConfig{{3, 4, 2}, {}, parts_of(parts())})}) {
    const Loaded loaded(c);
    for (const std::uint64_t seed : {1, 2, 3}) {
      CAPTURE(c.kind(), loaded.network().terminals(), seed);
      CHECK(loaded.share(random_permutation(loaded.network().terminals(), seed)) > 0.5);
    }
    CHECK(loaded.share(uniform_batch(loaded.network().terminals())) > 0.75);
  }
}

namespace {

/// Uniform traffic in messages of one packet on a shipped machine: what is accepted of loads in percent of the bound.
report::Rows uniform(const std::string& machine, const std::string& loads, const std::string& buffer_flits) {
  return rows_of("torus_traffic",
                 {{"/machine", R"({"$use": ")" TSUNAGI_TEST_CONFIGS "/machines/" + machine + ".json\"}"},
                  {"/machine/topology/router/buffer_flits", buffer_flits},
                  {"/scenario/grid", "[]"},
                  {"/scenario/size", "\"256 B\""},
                  {"/scenario/loads", loads},
                  {"/scenario/window", "\"20 us\""}});
}

std::string is_saturated(const report::Row& r) { return cell<std::string>(r, "saturated"); }
std::int64_t bound_of(const report::Row& r) { return cell<std::int64_t>(r, "bound_ppm"); }

}  // namespace

TEST_CASE("a dragonfly takes uniform traffic up to near the bound of its fullest wire and not beyond") {
  // A global link carries what 8 terminals send to 8 of 71 others: 64 of 71, less than a terminal's wire does.
  const report::Rows minimal = uniform("dragonfly_72", R"(["90 %", "120 %"])", "512");
  CHECK(bound_of(minimal.rows[0]) == 1'000'000);
  CHECK(is_saturated(minimal.rows[0]) == "no");
  CHECK(is_saturated(minimal.rows[1]) == "yes");
  const report::Rows valiant = uniform("dragonfly_72_valiant", R"(["44 %", "60 %"])", "512");
  CHECK(bound_of(valiant.rows[0]) < 500'000);  // two global links for each packet; of the fullest one
  CHECK(is_saturated(valiant.rows[0]) == "no");
  CHECK(is_saturated(valiant.rows[1]) == "yes");
}

TEST_CASE("two-dimensional crossbars take uniform traffic up to near the bound of the terminals and not beyond") {
  const report::Rows rows = uniform("crossbars_8x8", R"(["90 %", "110 %"])", "512");
  CHECK(bound_of(rows.rows[0]) == 1'000'000);
  CHECK(is_saturated(rows.rows[0]) == "no");
  CHECK(is_saturated(rows.rows[1]) == "yes");
}

TEST_CASE("the adversary of a dragonfly is held to one global link and freed by Valiant routes") {
  // Every group sends to the next: 8 terminals over one link.
  const auto rows = [](const char* machine, const char* loads) {
    return rows_of("torus_traffic",
                   {{"/machine", std::string(R"({"$use": ")" TSUNAGI_TEST_CONFIGS "/machines/") + machine + ".json\"}"},
                    {"/scenario/grid", "[]"},
                    {"/scenario/pattern", "\"shift\""},
                    {"/scenario/distance", "8"},
                    {"/scenario/size", "\"256 B\""},
                    {"/scenario/loads", loads}});
  };
  const report::Rows minimal = rows("dragonfly_72", R"(["12 %", "20 %"])");
  CHECK(bound_of(minimal.rows[0]) == 125'000);
  CHECK(is_saturated(minimal.rows[0]) == "no");
  CHECK(is_saturated(minimal.rows[1]) == "yes");
  const report::Rows valiant = rows("dragonfly_72_valiant", R"(["20 %"])");
  CHECK(bound_of(valiant.rows[0]) >= 200'000);
  CHECK(is_saturated(valiant.rows[0]) == "no");
}

}  // namespace topologies_test
