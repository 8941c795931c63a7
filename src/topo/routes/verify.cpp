// SPDX-License-Identifier: Apache-2.0
#include "topo/routes/verify.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "topo/routes/adaptive.hpp"
#include "topo/routes/dependencies.hpp"
#include "topo/routes/verify_adaptive.hpp"

namespace tsunagi::topo {

namespace {

using Peer = Network::Peer;

class Verification {
 public:
  Verification(const Network& network, bool classes)
      : network_(network),
        trees_(network.routes().by_destination()),
        dependencies_(network, classes),
        seen_(static_cast<std::size_t>(network.routers()), nobody),
        walked_(static_cast<std::size_t>(network.routers())),
        sources_(sources()) {
    for (int r = 0; r < network.routers(); ++r) ports_.push_back(network.ports(r));
  }

  Verdict run() {
    Verdict out;
    for (int to = 0; to < network_.terminals(); ++to)
      for (const int from : sources_) {
        if (from == to || (trees_ && seen_[static_cast<std::size_t>(network_.router_of(from))] == to)) continue;
        if (!walk(from, to)) {
          out.lost = LostPair{from, to, std::move(way_), port_, circle_};
          return out;
        }
        if (trees_)
          for (const int r : way_) seen_[static_cast<std::size_t>(r)] = to;
      }
    out.circle = dependencies_.circle();
    return out;
  }

 private:
  static constexpr int nobody = -1;
  /// Routes over an intermediate router may pass one twice.
  static constexpr int most_revisits = 64;

  /// Terminals that packets come from: of those at one router, from where trees lead all the same way, two.
  std::vector<int> sources() const {
    std::vector<int> out;
    std::vector<int> taken(seen_.size());
    for (int t = 0; t < network_.terminals(); ++t)
      if (!trees_ || ++taken[static_cast<std::size_t>(network_.router_of(t))] <= 2) out.push_back(t);
    return out;
  }

  /// Whether a packet arrives, or comes to where one has been that did.
  bool walk(int from, int to) {
    const Trip trip = trip_of(from, to);
    way_.clear();
    circle_ = false;
    ++walks_;
    Hop held;
    std::size_t output = 0;  // that packets hold
    for (int at = network_.router_of(from);;) {
      const bool known = seen_[static_cast<std::size_t>(at)] == to;  // of trees alone
      circle_ = (trees_ && walked_[static_cast<std::size_t>(at)] == walks_) ||
                way_.size() > static_cast<std::size_t>(network_.routers() + most_revisits);
      way_.push_back(at);
      if (circle_) return false;
      walked_[static_cast<std::size_t>(at)] = walks_;
      const Hop hop = network_.routes().next(at, trip);
      port_ = hop.port >= 0 && hop.port < ports_[static_cast<std::size_t>(at)] ? hop.port : -1;
      if (port_ < 0) return false;
      const Peer& peer = network_.peer(at, hop.port);
      if (peer.kind != Peer::Kind::router) return peer.kind == Peer::Kind::terminal && peer.number == to;
      if (way_.size() > 1) dependencies_.add(output, held, at, hop);
      if (known) return true;
      held = hop;
      output = network_.port_index(at, hop.port);
      at = peer.number;
    }
  }

  const Network& network_;
  const bool trees_;
  Dependencies dependencies_;
  std::vector<int> seen_;             // by router: the terminal to which it is known to lead
  std::vector<std::int64_t> walked_;  // by router: the last walk that came by
  std::int64_t walks_ = 0;
  const std::vector<int> sources_;
  std::vector<int> ports_;  // by router: how many
  std::vector<int> way_;
  int port_ = -1;
  bool circle_ = false;
};

constexpr std::size_t most_told = 12;

}  // namespace

Verdict verify(const Network& network, bool classes) {
  return network.routes().adaptive() != nullptr ? verify_adaptive(network, *network.routes().adaptive(), classes)
                                                : Verification(network, classes).run();
}

std::string lost_text(const Network& network, const LostPair& lost, const std::vector<std::string>& names) {
  const auto name = [&](int terminal) { return names[static_cast<std::size_t>(terminal)]; };
  std::string way;
  const std::size_t skipped = lost.way.size() > most_told ? lost.way.size() - most_told : 0;
  for (std::size_t i = skipped; i < lost.way.size(); ++i)
    way += (way.empty() ? (skipped > 0 ? "…, " : "") : ", ") + network.router_name(lost.way[i]);
  const std::string pair = "packets from " + name(lost.source) + " to " + name(lost.destination);
  if (lost.circle) return pair + " go round in a circle: " + way;
  const int last = lost.way.back();
  const std::string rest = lost.way.size() > 1 ? "; their way: " + way : "";
  if (lost.port < 0)
    return pair + " get no further than " + network.router_name(last) + ", which has no route to there" + rest;
  const Peer& peer = network.peer(last, lost.port);
  const std::string where = peer.kind == Peer::Kind::terminal ? name(peer.number) : "nothing";
  return pair + " leave " + network.router_name(last) + " by " + network.port_name(last, lost.port) +
         ", which leads to " + where + rest;
}

std::string circle_text(const Network& network, const std::vector<RouterPort>& circle) {
  std::string out;
  for (std::size_t i = 0; i < std::min(circle.size(), most_told); ++i) {
    const RouterPort& p = circle[i];
    out += (i > 0 ? ", " : "") + network.router_name(p.router) + "." + network.port_name(p.router, p.port) + " to " +
           network.router_name(network.peer(p.router, p.port).number);
  }
  return circle.size() > most_told ? out + ", and " + std::to_string(circle.size() - most_told) + " more" : out;
}

}  // namespace tsunagi::topo
