// SPDX-License-Identifier: Apache-2.0
#include "topo/routes/verify_adaptive.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "topo/routes/dependencies.hpp"

namespace tsunagi::topo {

namespace {

using Peer = Network::Peer;

class AdaptiveVerification {
 public:
  AdaptiveVerification(const Network& network, const AdaptiveRoutes& routes, bool classes)
      : network_(network), routes_(routes), dependencies_(network, classes) {}

  Verdict run() {
    Verdict out;
    for (int from = 0; from < network_.terminals(); ++from)
      for (int to = 0; to < network_.terminals(); ++to) {
        if (from == to || arrives(from, to)) continue;
        out.lost = LostPair{from, to, std::move(way_), port_, circle_};
        return out;
      }
    out.circle = dependencies_.circle();
    return out;
  }

 private:
  /// Where a packet of the pair can be: its router, what it remembers, what it holds.
  using State = std::tuple<int, std::uint32_t, std::size_t, int>;
  enum class Mark : std::uint8_t { on_way, arrives };

  bool arrives(int from, int to) {
    seen_.clear();
    way_.clear();
    circle_ = false;
    port_ = -1;
    trip_ = trip_of(from, to);
    return follow(network_.router_of(from), 0, nobody, {});
  }

  /// Whether a packet at router `at`, which holds `output` on the class of `held`, arrives, whatever is chosen. Else
  /// `way_` is how it came to where it does not.
  bool follow(int at, std::uint32_t via, std::size_t output, Hop held) {
    const auto [place, is_new] = seen_.emplace(State{at, via, output, held.channel_class}, Mark::on_way);
    way_.push_back(at);
    if (!is_new) {
      circle_ = place->second == Mark::on_way;
      way_.resize(way_.size() - (circle_ ? 0 : 1));
      return !circle_;
    }
    Ways all;
    Trip trip = trip_;
    trip.via = via;
    routes_.ways(at, trip, AdaptiveRoutes::Draws::all, all);
    port_ = -1;
    if (all.empty()) return false;
    for (const Way& w : all)
      if (!take(at, output, held, w)) return false;
    place->second = Mark::arrives;
    way_.pop_back();
    return true;
  }

  bool take(int at, std::size_t output, Hop held, const Way& w) {
    port_ = w.hop.port >= 0 && w.hop.port < network_.ports(at) ? w.hop.port : -1;
    if (port_ < 0) return false;
    const Peer& peer = network_.peer(at, w.hop.port);
    if (peer.kind != Peer::Kind::router)
      return peer.kind == Peer::Kind::terminal && peer.number == static_cast<int>(trip_.destination);
    if (output != nobody) dependencies_.add(output, held, at, w.hop);
    return follow(peer.number, w.via, network_.port_index(at, w.hop.port), w.hop);
  }

  static constexpr std::size_t nobody = static_cast<std::size_t>(-1);
  const Network& network_;
  const AdaptiveRoutes& routes_;
  Dependencies dependencies_;
  Trip trip_;
  std::map<State, Mark> seen_;
  std::vector<int> way_;
  int port_ = -1;
  bool circle_ = false;
};

}  // namespace

Verdict verify_adaptive(const Network& network, const AdaptiveRoutes& routes, bool classes) {
  return AdaptiveVerification(network, routes, classes).run();
}

}  // namespace tsunagi::topo
