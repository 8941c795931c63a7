// SPDX-License-Identifier: Apache-2.0
// What a torus carries past saturation, and how fairly: docs/routers.md.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "report/digest.hpp"
#include "stats/random.hpp"
#include "support/child.hpp"
#include "support/environment.hpp"
#include "support/grid_bench.hpp"
#include "system/simulated.hpp"

namespace saturation_test {

using namespace tsunagi;
using namespace tsunagi::test;
using router::Turns;

namespace {

Overrides channels(int n) {
  return {{"/machine/topology/router/virtual_channels", std::to_string(n)},
          {"/machine/topology/wire/virtual_channels", std::to_string(n)}};
}

/// What a torus of 8x8 accepts at loads of 30, 60 and 100 %, as shares of the most that it accepted up to there.
std::vector<double> kept(const std::string& pattern, const std::string& routes, const std::string& turns,
                         const Overrides& more = {}) {
  Overrides all = channels(routes == "minimal_adaptive" ? 6 : 8);
  for (const config::Override& o : Overrides{{"/machine/topology/router/buffer_flits", "128"},
                                             {"/machine/topology/routes", '"' + routes + '"'},
                                             {"/machine/topology/router/turns", '"' + turns + '"'},
                                             {"/scenario/pattern", '"' + pattern + '"'},
                                             {"/scenario/size", "\"256 B\""},
                                             {"/scenario/warm_up", "\"4 us\""},
                                             {"/scenario/window", "\"4 us\""},
                                             {"/scenario/loads", R"(["30 %", "60 %", "100 %"])"}})
    all.push_back(o);
  all.insert(all.end(), more.begin(), more.end());
  std::vector<double> out;
  double most = 0;
  for (const report::Row& r : rows_of("torus_traffic", all).rows) {
    const auto accepted = static_cast<double>(cell<Bytes>(r, "accepted").count());
    most = std::max(most, accepted);
    out.push_back(accepted / most);
  }
  return out;
}

void expect_kept(const std::string& pattern) {
  for (const char* routes : {"dimension_order", "valiant", "minimal_adaptive", "ugal"})
    for (const double share : kept(pattern, routes, "oldest_in_transit")) {
      CAPTURE(pattern, routes);
      CHECK(share > 0.9);
    }
}

/// Jain's index of what the ranks of a torus of 8x8 send in 8 us, far past saturation, uniformly: 1 if all send alike,
/// 1/64 if one does.
double fairness(Turns turns) {
  const std::string told = in_child([&] {
    Network n = torus({8, 8});
    n.router.virtual_channels = n.link.virtual_channels = 8;
    n.router.buffer_flits = 128;
    n.router.turns = turns;
    n.routes = topo::GridRouting::valiant;
    GridBench b(n, 64, {}, false);
    for (int rank = 0; rank < 64; ++rank)
      b.program(rank, [rank](comm::Rank& r) {
        stats::RandomStream random(static_cast<std::uint64_t>(rank), "partners");
        for (int i = 0; i < 700; ++i) {
          r.wait_until(17_ns * i);
          r.isend(static_cast<int>((rank + 1 + random.below(63)) % 64), {{}, 256_B, {}, {}});
        }
      });
    std::vector<std::int64_t> sent(64);
    b.sim().spawn("probe", [&](Fiber& f) {
      for (const int sign : {-1, 1}) {
        f.wait_until(sign < 0 ? 4_us : 12_us);
        const auto terminals = b.machine().all<router::Terminal>();
        for (std::size_t i = 0; i < 64; ++i) sent[i] += sign * terminals[i]->ports()[0].channel().counters().packets;
      }
    });
    b.run();
    double sum = 0, squares = 0;
    for (const std::int64_t s : sent) {
      sum += static_cast<double>(s);
      squares += static_cast<double>(s * s);
    }
    return std::to_string(sum * sum / (64 * squares));
  });
  return std::stod(told);
}

/// A network drawn by `seed`, in most of which routers choose, past its saturation.
Overrides random_network(std::uint64_t seed) {
  stats::RandomStream random(seed, "networks");
  const auto one_of = [&](const std::vector<std::string>& all) {
    return '"' + all[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(all.size())))] + '"';
  };
  const bool wrap = random.below(3) > 0, queued = random.below(3) == 0;
  const std::string sizes = '[' + std::to_string(2 + random.below(4)) + ',' + std::to_string(2 + random.below(3)) + ']';
  Overrides all = channels(static_cast<int>((wrap ? 6 : 2) * (1 + random.below(2))));
  const std::string routes = one_of({"dimension_order", "valiant", "minimal_adaptive", "ugal"});
  const std::string buffer = std::to_string(17 * (1 + random.below(5)) + random.below(17));
  for (const config::Override& o :
       Overrides{{"/machine/topology/kind", wrap ? "\"torus\"" : "\"mesh\""},
                 {"/machine/topology/sizes", sizes},
                 {"/machine/topology/routes", routes},
                 {"/machine/topology/seed", std::to_string(seed)},
                 {"/machine/topology/router/kind", queued ? "\"input_queued_router\"" : "\"router\""},
                 {"/machine/topology/router/turns",
                  one_of({"inputs", "channels", "in_transit", "oldest", "oldest_in_transit"})},
                 {"/machine/topology/router/buffer_flits", buffer},
                 {"/machine/topology/router/latency", std::to_string(1 + random.below(4))},
                 {"/scenario/grid", sizes},
                 {"/scenario/pattern", one_of({"uniform", "permutation", "nearest_neighbour"})},
                 {"/scenario/size", '"' + std::to_string(1 + random.below(700)) + " B\""},
                 {"/scenario/seed", std::to_string(seed)},
                 {"/scenario/warm_up", "\"500 ns\""},
                 {"/scenario/window", "\"1 us\""},
                 {"/scenario/cool_down", "\"100 ns\""},
                 {"/scenario/loads", R"(["95 %"])"}})
    all.push_back(o);
  if (routes == "\"dimension_order\"" && random.below(2) == 0)
    for (const char* end : {"router", "wire"})
      all.push_back({std::string("/machine/topology/") + end + "/switching", "\"wormhole\""});
  if (queued) all.push_back({"/machine/topology/router/allocator", one_of({"islip", "wavefront"})});
  return all;
}

}  // namespace

TEST_CASE("a torus carries uniform traffic past saturation as at it, whatever its routes") { expect_kept("uniform"); }
TEST_CASE("a torus carries tornado traffic past saturation as at it, whatever its routes") { expect_kept("tornado"); }
TEST_CASE("a torus carries transposed traffic past saturation as at it, whatever its routes") {
  expect_kept("transpose");
}

TEST_CASE("with turns of inputs, or of channels, a torus carries less past saturation than at it") {
  CHECK(kept("tornado", "minimal_adaptive", "inputs").back() < 0.6);
  CHECK(kept("tornado", "minimal_adaptive", "channels").back() < 0.6);
}

TEST_CASE("senders far past saturation get equal shares of uniform traffic") {
  for (const Turns t : {Turns::oldest, Turns::oldest_in_transit}) CHECK(fairness(t) > 0.9);
}

TEST_CASE("past saturation random networks lose nothing, end, and do not depend on trains") {
  const auto count = static_cast<std::uint64_t>(from_environment("TSUNAGI_MACHINES", 100));
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    CAPTURE(seed);
    std::vector<std::string> digests;
    for (const char* max_train : {"1", "64"}) {
      Overrides all = random_network(seed);
      all.push_back({"/options/max_train", max_train});
      digests.push_back(report::digest(rows_of("torus_traffic", all)));
    }
    CHECK(digests[0] == digests[1]);
  }
}

}  // namespace saturation_test
