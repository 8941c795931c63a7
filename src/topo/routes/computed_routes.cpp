// SPDX-License-Identifier: Apache-2.0
#include "topo/routes/computed_routes.hpp"

#include <algorithm>
#include <cstddef>

namespace tsunagi::topo {

namespace {

constexpr int unreached = -1;

/// A cable as one of its ends sees it.
struct Edge {
  int port;
  int to;
};

/// The cables of every router, in the order of their ports.
using Edges = std::vector<std::vector<Edge>>;

Edges edges_of(const Network& network) {
  Edges out(static_cast<std::size_t>(network.routers()));
  for (int r = 0; r < network.routers(); ++r)
    for (int p = 0; p < network.ports(r); ++p)
      if (const Network::Peer& peer = network.peer(r, p); peer.kind == Network::Peer::Kind::router)
        out[static_cast<std::size_t>(r)].push_back({p, peer.number});
  return out;
}

int& of(std::vector<int>& values, int router) { return values[static_cast<std::size_t>(router)]; }

/// Cables from `start` to every router, by those that `leads(from, to)`; in `order` who was reached, nearest first.
template <class Leads>
std::vector<int> distances(const Edges& edges, int start, Leads&& leads, std::vector<int>& order) {
  std::vector<int> out(edges.size(), unreached);
  order.assign(1, start);
  of(out, start) = 0;
  for (std::size_t next = 0; next < order.size(); ++next) {
    const int from = order[next];
    for (const Edge& w : edges[static_cast<std::size_t>(from)]) {
      if (of(out, w.to) != unreached || !leads(from, w.to)) continue;
      of(out, w.to) = of(out, from) + 1;
      order.push_back(w.to);
    }
  }
  return out;
}

/// Fills a table, one router with terminals after the other.
class Filling {
 public:
  explicit Filling(const Network& network)
      : network_(network),
        table_(network.routers(), network.terminals()),
        edges_(edges_of(network)),
        attached_(static_cast<std::size_t>(network.routers())) {
    for (int t = 0; t < network.terminals(); ++t)
      attached_[static_cast<std::size_t>(network.router_of(t))].push_back(t);
  }
  const Edges& edges() const { return edges_; }
  bool has_terminals(int router) const { return !attached_[static_cast<std::size_t>(router)].empty(); }
  /// Ways to the terminals of `last`: from another router by any of the cables that are `good(from, to)`.
  template <class Good>
  void lead_to(int last, Good&& good) {
    const std::vector<int>& terminals = attached_[static_cast<std::size_t>(last)];
    for (int r = 0; r < network_.routers(); ++r) {
      if (r == last) continue;
      ports_.clear();
      for (const Edge& w : edges_[static_cast<std::size_t>(r)])
        if (good(r, w.to)) ports_.push_back(w.port);
      if (ports_.empty()) continue;
      for (const int t : terminals) table_.set(r, t, ports_[static_cast<std::size_t>(t) % ports_.size()]);
    }
    for (const int t : terminals) table_.set(last, t, network_.attachment(t).port);
  }
  RouteTable take() { return std::move(table_); }

 private:
  const Network& network_;
  RouteTable table_;
  Edges edges_;
  std::vector<std::vector<int>> attached_;  // by router
  std::vector<int> ports_;
};

}  // namespace

RouteTable shortest_routes(const Network& network) {
  Filling filling(network);
  std::vector<int> order;
  for (int last = 0; last < network.routers(); ++last) {
    if (!filling.has_terminals(last)) continue;
    std::vector<int> away = distances(
        filling.edges(), last, [](int, int) { return true; }, order);
    filling.lead_to(last, [&](int from, int to) { return of(away, to) + 1 == of(away, from); });
  }
  return filling.take();
}

UpDown::UpDown(const Network& network, int root) : rank_(static_cast<std::size_t>(network.routers())) {
  std::vector<int> level = distances(
      edges_of(network), root, [](int, int) { return true; }, order_);
  std::sort(order_.begin(), order_.end(),
            [&](int a, int b) { return of(level, a) != of(level, b) ? of(level, a) < of(level, b) : a < b; });
  for (std::size_t i = 0; i < order_.size(); ++i) of(rank_, order_[i]) = static_cast<int>(i);
}

RouteTable up_down_routes(const Network& network, int root) {
  const UpDown tree(network, root);
  Filling filling(network);
  std::vector<int> order;
  for (int last = 0; last < network.routers(); ++last) {
    if (!filling.has_terminals(last)) continue;
    // against the packets, who only go down from there on
    std::vector<int> down = distances(
        filling.edges(), last, [&](int from, int to) { return tree.is_up(from, to); }, order);
    std::vector<int> away = down;
    for (const int r : tree.order()) {
      if (of(down, r) != unreached) continue;
      for (const Edge& w : filling.edges()[static_cast<std::size_t>(r)])
        if (tree.is_up(r, w.to) && (of(away, r) == unreached || of(away, w.to) + 1 < of(away, r)))
          of(away, r) = of(away, w.to) + 1;
    }
    filling.lead_to(last, [&](int from, int to) {
      if (of(down, from) == unreached) return tree.is_up(from, to) && of(away, to) + 1 == of(away, from);
      return !tree.is_up(from, to) && of(down, to) != unreached && of(down, to) + 1 == of(down, from);
    });
  }
  return filling.take();
}

int cut_off(const Network& network) {
  std::vector<int> order;
  if (network.routers() == 0) return -1;
  const std::vector<int> away = distances(
      edges_of(network), 0, [](int, int) { return true; }, order);
  const auto it = std::find(away.begin(), away.end(), unreached);
  return it == away.end() ? -1 : static_cast<int>(it - away.begin());
}

}  // namespace tsunagi::topo
