// SPDX-License-Identifier: Apache-2.0
// The check of routes that choose against all paths of random ones, followed one by one.
#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "stats/random.hpp"
#include "support/catch.hpp"
#include "support/topo/adaptive_networks.hpp"
#include "topo/grid.hpp"
#include "topo/routes/verify.hpp"

namespace topo_verify_paths_test {

using namespace tsunagi;
using namespace tsunagi::test;
using topo::Way;
using topo::Ways;

namespace {

/// Minimal routes of a mesh, which permit what chance says: some of the dimensions that are left, on a class of two or
/// on any, and what packets remember from there on. Rarely a way leads back.
class RandomWays final : public topo::AdaptiveRoutes {
 public:
  RandomWays(const SharedNetwork& n, std::uint32_t seed, std::uint32_t all_of_16, bool goes_back)
      : network_(n), grid_(*n->grid()), seed_(seed), all_of_16_(all_of_16), goes_back_(goes_back) {}
  void ways(int router, const topo::Trip& trip, Draws /*draws*/, Ways& out) const override {
    const auto to = static_cast<int>(trip.destination);
    if (router == to) return out.push_back({{grid_.terminal_port(to)}});
    const std::uint32_t place = static_cast<std::uint32_t>(router) * 64 + trip.source * 8 + trip.destination;
    std::uint32_t drawn = 0;
    const auto draw = [&](std::uint32_t n) {
      return topo::pick_of(n, topo::mix_of(topo::mix_of(place, trip.via * 64 + drawn++), seed_));
    };
    for (int d = 0; d < grid_.dimensions(); ++d) {
      const int here = grid_.coordinate(router, d), there = grid_.coordinate(to, d);
      if (here == there) continue;
      if (!out.empty() && draw(16) >= all_of_16_) continue;
      const int choices = 1 + static_cast<int>(draw(2));
      for (int i = 0; i < choices; ++i) {
        const int channel_class = static_cast<int>(draw(3)) - 1;
        out.push_back({{topo::Grid::port(d, there > here), channel_class}, draw(2)});
      }
    }
    const int other = topo::Grid::port(0, draw(2) == 0);
    if (goes_back_ && draw(16) == 0 && grid_.neighbour(router, other) >= 0) out.push_back({{other, 0}});
  }
  int classes() const override { return 2; }

 private:
  SharedNetwork network_;
  const topo::Grid& grid_;
  std::uint32_t seed_;
  std::uint32_t all_of_16_;
  bool goes_back_;
};

/// All paths of all pairs, without memory of what was seen.
class AllPaths {
 public:
  explicit AllPaths(const topo::Network& n) : network_(n), routes_(*n.routes().adaptive()) {
    for (int from = 0; from < n.terminals(); ++from)
      for (int to = 0; to < n.terminals(); ++to)
        if (from != to) follow(topo::trip_of(from, to), n.router_of(from), -1, 0);
  }
  bool lost() const { return lost_; }
  /// Channels whose packets wait for no others are taken away as long as there are any.
  bool can_deadlock() const {
    std::set<std::pair<int, int>> left = waits_;
    for (std::size_t before = left.size() + 1; left.size() < before;) {
      before = left.size();
      for (auto w = left.begin(); w != left.end();) {
        const auto next = left.lower_bound({w->second, 0});
        w = next == left.end() || next->first != w->second ? left.erase(w) : std::next(w);
      }
    }
    return !left.empty();
  }

 private:
  /// `held`: the first channel of the output by which it came, times four, and a bit for each class held.
  void follow(topo::Trip trip, int at, int held, int steps) {
    if (lost_ || steps > 4 * network_.routers()) {  // more than there are routers and things to remember
      lost_ = true;
      return;
    }
    Ways all;
    routes_.ways(at, trip, topo::AdaptiveRoutes::Draws::all, all);
    for (const Way& w : all) {
      const topo::Network::Peer& peer = network_.peer(at, w.hop.port);
      if (peer.kind == topo::Network::Peer::Kind::terminal) continue;
      const int output = static_cast<int>(network_.port_index(at, w.hop.port));
      const int wanted = 4 * output + (w.hop.channel_class == topo::Hop::any_class ? 3 : 1 << w.hop.channel_class);
      if (held >= 0)
        for (int h = 0; h < 2; ++h)
          for (int c = 0; c < 2; ++c)
            if ((held >> h & 1) != 0 && (wanted >> c & 1) != 0) waits_.emplace(held / 4 * 2 + h, output * 2 + c);
      topo::Trip on = trip;
      on.via = w.via;
      follow(on, peer.number, wanted, steps + 1);
    }
  }

  const topo::Network& network_;
  const topo::AdaptiveRoutes& routes_;
  std::set<std::pair<int, int>> waits_;  // who holds the first may want the second
  bool lost_ = false;
};

}  // namespace

TEST_CASE("the check of adaptive routes says what all their paths say, followed one by one") {
  int free = 0, circles = 0, lost = 0;
  for (const std::vector<int>& sizes : {std::vector<int>{2, 2}, std::vector<int>{3, 2}})
    for (std::uint32_t i = 0; i < 400; ++i) {
      topo::Network n = *grid_network(sizes, false);
      n.set_routes(std::make_shared<const RandomWays>(grid_network(sizes, false), i, i % 8, i % 4 == 0));
      const AllPaths paths(n);
      const topo::Verdict v = topo::verify(n);
      CAPTURE(sizes, i);
      REQUIRE(v.lost.has_value() == paths.lost());
      if (!paths.lost()) REQUIRE(v.circle.empty() == !paths.can_deadlock());
      ++(paths.lost() ? lost : paths.can_deadlock() ? circles : free);
    }
  for (const int count : {free, circles, lost}) CHECK(count > 40);
}

}  // namespace topo_verify_paths_test
