// SPDX-License-Identifier: Apache-2.0
#include "topo/graphs/explicit_networks.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "config/error_at.hpp"
#include "topo/graph.hpp"
#include "topo/graphs/explicit.hpp"
#include "topo/graphs/groups.hpp"
#include "topo/parts.hpp"
#include "topo/routes/catalog.hpp"
#include "topo/spring_layout.hpp"

namespace tsunagi::topo {

void describe(NetworkConfig& c, config::Describer& d) {
  d.field("name", c.name, "as libraries name it", config::required);
  d.field("routers", c.routers, "devices, by their full names", config::required);
  d.any("routes", c.routes, "routes", "how packets find their ways", config::required);
  d.require(!c.name.empty(), "\"name\" is empty");
  d.require(!c.routers.empty(), "\"routers\" is empty");
}

namespace {

constexpr int no_router = -1;

/// Which network's router each device is.
class Owners {
 public:
  Owners(const Graph& g, const std::vector<NetworkConfig>& networks, const std::string& pointer)
      : of_(g.nodes.size(), nobody) {
    std::map<std::string, std::size_t> by_name;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) by_name[g.nodes[i].name] = i;
    for (std::size_t n = 0; n < networks.size(); ++n) {
      const std::string here = pointer + "/" + std::to_string(n);
      for (std::size_t m = 0; m < n; ++m)
        if (networks[m].name == networks[n].name)
          throw config::error_at(here + "/name", "a second network \"" + networks[n].name + "\"");
      devices_.emplace_back();
      for (std::size_t r = 0; r < networks[n].routers.size(); ++r)
        take(by_name, networks, n, networks[n].routers[r], here + "/routers/" + std::to_string(r));
    }
  }

  static constexpr std::size_t nobody = static_cast<std::size_t>(-1);
  /// The network whose router a device is, or `nobody`.
  std::size_t of(std::uint32_t device) const { return of_[device]; }
  /// Routers of a network, as they are numbered.
  const std::vector<std::uint32_t>& routers(std::size_t network) const { return devices_[network]; }

 private:
  void take(const std::map<std::string, std::size_t>& by_name, const std::vector<NetworkConfig>& networks,
            std::size_t n, const std::string& name, const std::string& pointer) {
    const auto it = by_name.find(name);
    if (it == by_name.end()) {
      std::vector<std::string> known;
      for (const auto& [each, index] : by_name) {
        (void)index;
        known.push_back(each);
      }
      throw config::error_at(pointer, no_device(name, known));
    }
    std::size_t& owner = of_[it->second];
    if (owner != nobody)
      throw config::error_at(pointer, owner == n
                                          ? name + " is named twice"
                                          : name + " is a router of network \"" + networks[owner].name + "\" already");
    owner = n;
    devices_[n].push_back(static_cast<std::uint32_t>(it->second));
  }

  std::vector<std::size_t> of_;                      // by device
  std::vector<std::vector<std::uint32_t>> devices_;  // by network
};

/// One network out of the graph's devices and links.
class Making {
 public:
  Making(Graph& g, const std::vector<NetworkConfig>& networks, const Owners& owners, std::size_t n,
         const std::string& pointer)
      : graph_(g),
        networks_(networks),
        owners_(owners),
        n_(n),
        here_(pointer + "/" + std::to_string(n)),
        number_(g.nodes.size(), no_router) {
    network_.set_name(networks[n].name, here_);
  }

  void make() {
    add_routers();
    join();
    attach();
    network_.set_spots(spring_layout(network_));
    set_routes(network_, names_, networks_[n_].routes, here_ + "/routes");
    place();
  }

 private:
  /// An end of a link at one of the routers.
  bool is_inside(const End& e) const { return number_[e.node] != no_router; }

  void add_routers() {
    const std::vector<std::uint32_t>& routers = owners_.routers(n_);
    for (std::size_t r = 0; r < routers.size(); ++r) number_[routers[r]] = static_cast<int>(r);
    std::vector<std::vector<std::string>> ports(routers.size());
    std::set<std::pair<std::uint32_t, std::string>> taken;
    for (const Link& l : graph_.links)
      for (const End* e : {&l.a, &l.b}) {
        if (!is_inside(*e)) continue;
        if (!taken.insert({e->node, e->port}).second) throw config::error_at(l.pointer, connected_twice(graph_, *e));
        ports[static_cast<std::size_t>(number_[e->node])].push_back(e->port);
      }
    for (std::size_t r = 0; r < routers.size(); ++r) {
      const Node& node = graph_.nodes[routers[r]];
      if (ports[r].empty())
        throw config::error_at(here_ + "/routers/" + std::to_string(r), node.name + " has no links");
      network_.add_router(node.config, port_names(std::move(ports[r])), "/routers/" + std::to_string(r), node.name);
    }
    next_.resize(routers.size());
  }

  RouterPort next_port(const End& e) {
    const int r = number_[e.node];
    return {r, next_[static_cast<std::size_t>(r)]++};
  }

  /// Cables, and who is attached where.
  void join() {
    for (const Link& l : graph_.links) {
      const bool a = is_inside(l.a);
      const bool b = is_inside(l.b);
      if (a && b) {
        if (l.a.node == l.b.node)
          throw config::error_at(l.pointer, "a link from " + graph_.nodes[l.a.node].name + " to itself");
        const RouterPort from = next_port(l.a);
        network_.join(from, next_port(l.b), l);
      } else if (a || b) {
        const End& outside = a ? l.b : l.a;
        check_stranger(l, outside);
        attached_.push_back({&outside, next_port(a ? l.a : l.b), &l});
      }
    }
  }

  void check_stranger(const Link& l, const End& outside) const {
    const std::size_t other = owners_.of(outside.node);
    if (other == Owners::nobody) return;
    throw config::error_at(l.pointer, "a link between routers of networks \"" + networks_[n_].name + "\" and \"" +
                                          networks_[other].name + "\"; what is in two networks is a terminal in both");
  }

  void attach() {
    if (attached_.size() > static_cast<std::size_t>(most_terminals))
      throw config::error_at(here_, too_many_terminals());
    std::stable_sort(attached_.begin(), attached_.end(),
                     [](const Attached& x, const Attached& y) { return x.end->node < y.end->node; });
    for (std::size_t i = 0; i < attached_.size(); ++i) {
      const auto same = [&](std::size_t j) {
        return j < attached_.size() && attached_[j].end->node == attached_[i].end->node;
      };
      const bool several = same(i + 1) || (i > 0 && same(i - 1));
      const End& e = *attached_[i].end;
      names_.push_back(graph_.nodes[e.node].name + (several ? "." + e.port : ""));
      network_.attach(attached_[i].at, *attached_[i].link);
    }
  }

  void place() {
    const auto shared = std::make_shared<const Network>(std::move(network_));
    const std::vector<std::uint32_t>& routers = owners_.routers(n_);
    for (std::size_t r = 0; r < routers.size(); ++r)
      graph_.nodes[routers[r]].places.push_back({shared, Place::Role::router, static_cast<int>(r), {}});
    for (std::size_t t = 0; t < attached_.size(); ++t)
      graph_.nodes[attached_[t].end->node].places.push_back(
          {shared, Place::Role::terminal, static_cast<int>(t), attached_[t].end->port});
    graph_.networks.push_back(shared);
  }

  struct Attached {
    const End* end;
    RouterPort at;
    const Link* link;
  };

  Graph& graph_;
  const std::vector<NetworkConfig>& networks_;
  const Owners& owners_;
  std::size_t n_;
  std::string here_;
  Network network_;
  std::vector<int> number_;         // by device: of the router that it is
  std::vector<int> next_;           // by router: behind the ports that are joined
  std::vector<Attached> attached_;  // in the end by terminal
  std::vector<std::string> names_;  // by terminal
};

}  // namespace

void add_networks(Graph& g, const std::vector<NetworkConfig>& networks, const std::string& pointer) {
  const Owners owners(g, networks, pointer);
  for (std::size_t n = 0; n < networks.size(); ++n) Making(g, networks, owners, n, pointer).make();
}

}  // namespace tsunagi::topo
