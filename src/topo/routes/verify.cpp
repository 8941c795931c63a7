// SPDX-License-Identifier: Apache-2.0
#include "topo/routes/verify.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "topo/routes/deadlock.hpp"

namespace tsunagi::topo {

namespace {

using Peer = Network::Peer;

/// Dependencies of virtual channels, each once: for a channel a bit for every channel of the router that it leads to.
/// Channels are the classes of the routers' outputs.
class Dependencies {
 public:
  explicit Dependencies(const Network& network)
      : network_(network),
        classes_(static_cast<std::size_t>(std::max(1, network.routes().classes()))),
        rows_(network.all_ports() * classes_) {}

  /// Who came to router `at` by `held`, the output of that index, leaves it by `wanted`.
  void add(std::size_t output, Hop held, int at, Hop wanted) {
    const std::size_t row = output * classes_;
    const std::size_t bit = static_cast<std::size_t>(wanted.port) * classes_;
    for (std::size_t h = first(held); h < end(held); ++h)
      for (std::size_t w = first(wanted); w < end(wanted); ++w) set(row + h, bit + w, at);
  }

  std::vector<RouterPort> circle() const {
    std::vector<Dependency> all;
    std::vector<RouterPort> outputs(network_.all_ports());
    for (int r = 0; r < network_.routers(); ++r)
      for (int p = 0; p < network_.ports(r); ++p) {
        outputs[network_.port_index(r, p)] = {r, p};
        if (network_.peer(r, p).kind == Peer::Kind::router) list(r, p, all);
      }
    std::vector<RouterPort> out;
    for (const std::uint32_t c : dependency_cycle(static_cast<std::uint32_t>(rows_.size()), all))
      out.push_back(outputs[c / classes_]);
    return out;
  }

 private:
  using Row = std::vector<std::uint64_t>;
  std::size_t first(Hop h) const {
    return h.channel_class == Hop::any_class ? 0 : static_cast<std::size_t>(h.channel_class);
  }
  std::size_t end(Hop h) const { return h.channel_class == Hop::any_class ? classes_ : first(h) + 1; }
  void set(std::size_t channel, std::size_t bit, int to) {
    Row& row = rows_[channel];
    if (row.empty()) row.resize((static_cast<std::size_t>(network_.ports(to)) * classes_ + 63) / 64);
    row[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
  void list(int router, int port, std::vector<Dependency>& all) const {
    const std::size_t held = network_.port_index(router, port) * classes_;
    const std::size_t wanted = network_.port_index(network_.peer(router, port).number, 0) * classes_;
    for (std::size_t c = held; c < held + classes_; ++c)
      for (std::size_t bit = 0; bit < rows_[c].size() * 64; ++bit)
        if ((rows_[c][bit / 64] >> (bit % 64) & 1) != 0)
          all.push_back({static_cast<std::uint32_t>(c), static_cast<std::uint32_t>(wanted + bit)});
  }

  const Network& network_;
  std::size_t classes_;
  std::vector<Row> rows_;  // by channel; none of those that nobody holds
};

class Verification {
 public:
  explicit Verification(const Network& network)
      : network_(network),
        trees_(network.routes().by_destination()),
        dependencies_(network),
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

Verdict verify(const Network& network) { return Verification(network).run(); }

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
