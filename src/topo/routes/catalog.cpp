// SPDX-License-Identifier: Apache-2.0
#include "topo/routes/catalog.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "config/error_at.hpp"
#include "topo/routes/computed_routes.hpp"
#include "topo/routes/listed_routes.hpp"
#include "topo/routes/verify.hpp"

namespace tsunagi::topo {

namespace {

void describe_allowance(bool& allow_deadlock, config::Describer& d) {
  d.field("allow_deadlock", allow_deadlock, "run also where packets can wait for each other in a circle");
}

RouteTable shortest(const config::AnyConfig&, const RoutesArgs& args) { return shortest_routes(args.network); }

RouteTable up_down(const config::AnyConfig& config, const RoutesArgs& args) {
  const auto& c = config.as<UpDownConfig>();
  const int root = args.names.router(c.root);
  if (root < 0) throw config::error_at(args.pointer + "/root", args.names.no_router(c.root));
  return up_down_routes(args.network, root);
}

RouteTable table(const config::AnyConfig& config, const RoutesArgs& args) {
  return listed_routes(args.network, args.names, config.as<TableConfig>().entries, args.pointer + "/entries");
}

template <class C>
bool allows_deadlock(const config::AnyConfig& config) {
  return config.as<C>().allow_deadlock;
}

void check_size(const Network& network, const std::string& pointer) {
  if (std::int64_t{network.routers()} * network.terminals() > RouteTable::most_entries)
    throw config::error_at(pointer, std::to_string(network.routers()) + " routers with a route to each of " +
                                        std::to_string(network.terminals()) + " terminals are more than the " +
                                        std::to_string(RouteTable::most_entries) + " entries of the largest table");
  for (int r = 0; r < network.routers(); ++r)
    if (network.ports(r) > RouteTable::most_ports)
      throw config::error_at(pointer, network.router_name(r) + " has " + std::to_string(network.ports(r)) +
                                          " ports, more than the " + std::to_string(RouteTable::most_ports) +
                                          " that a table of routes tells apart");
}

}  // namespace

void describe(ShortestConfig& c, config::Describer& d) { describe_allowance(c.allow_deadlock, d); }

void describe(UpDownConfig& c, config::Describer& d) {
  d.field("root", c.root, "the router that all others are below", config::required);
}

void describe(TableConfig& c, config::Describer& d) {
  d.field("entries", c.entries,
          "\"router terminal port\", or the next router in place of the port; terminal *: all that no entry names",
          config::required);
  describe_allowance(c.allow_deadlock, d);
}

const std::vector<RoutesKind>& routes_catalog() {
  static const std::vector<RoutesKind> all = {
      {config::kind<ShortestConfig>("shortest", "the fewest hops"), shortest, allows_deadlock<ShortestConfig>},
      {config::kind<UpDownConfig>("up_down", "up*/down* from a root: free of deadlock in any network"), up_down,
       [](const config::AnyConfig&) { return false; }},
      {config::kind<TableConfig>("table", "every route as the file says it"), table, allows_deadlock<TableConfig>},
  };
  return all;
}

void set_routes(Network& network, const std::vector<std::string>& terminals, const config::AnyConfig& config,
                const std::string& pointer) {
  check_size(network, pointer);
  if (const int far = cut_off(network); far >= 0)
    throw config::error_at(network.pointer(), "the network falls apart: no cables lead from " + network.router_name(0) +
                                                  " to " + network.router_name(far));
  const auto& kinds = routes_catalog();
  const auto kind =
      std::find_if(kinds.begin(), kinds.end(), [&](const RoutesKind& k) { return k.kind.name == config.kind(); });
  if (kind == kinds.end()) throw std::logic_error("routes kind without a builder: " + config.kind());
  const NetworkNames names(network, terminals);
  network.set_routes(std::make_shared<const RouteTable>(kind->build(config, {network, names, pointer})));
  const Verdict verdict = verify(network);
  if (verdict.lost) throw config::error_at(pointer, lost_text(network, *verdict.lost, terminals));
  if (!verdict.circle.empty() && !kind->may_deadlock(config))
    network.refuse({pointer, "packets can wait for each other in a circle of links, and nothing moves any more: " +
                                 circle_text(network, verdict.circle) +
                                 "; routes of kind \"up_down\" cannot deadlock, and \"allow_deadlock\": true "
                                 "runs these all the same (`tsunagi draw --show circle` draws it)"});
}

}  // namespace tsunagi::topo
