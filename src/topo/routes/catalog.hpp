// SPDX-License-Identifier: Apache-2.0
// The routes of networks that say them: `routes` in a config.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/describe.hpp"
#include "topo/network.hpp"
#include "topo/network_names.hpp"
#include "topo/routes/route_table.hpp"

namespace tsunagi::topo {

struct ShortestConfig {
  bool allow_deadlock = false;
};
void describe(ShortestConfig& c, config::Describer& d);

struct UpDownConfig {
  std::string root;
};
void describe(UpDownConfig& c, config::Describer& d);

/// Every route as the file says it.
struct TableConfig {
  std::vector<std::string> entries;
  bool allow_deadlock = false;
};
void describe(TableConfig& c, config::Describer& d);

/// What routes are made for.
struct RoutesArgs {
  const Network& network;
  const NetworkNames& names;
  std::string pointer;  // where the config says them
};

/// A way to come to routes.
struct RoutesKind {
  config::Kind kind;
  std::function<RouteTable(const config::AnyConfig&, const RoutesArgs&)> build;
  /// Whether packets may wait for each other in a circle, as the config allows.
  std::function<bool(const config::AnyConfig&)> may_deadlock;
};

/// All kinds of routes.
const std::vector<RoutesKind>& routes_catalog();

/// Gives `network` the routes that `config` says at `pointer`; what stands at its terminals is called `terminals`.
/// Throws config::ConfigError for routers that no cables join and a pair of terminals whose packets do not arrive;
/// refuses routes that can deadlock (Network::refuse).
void set_routes(Network& network, const std::vector<std::string>& terminals, const config::AnyConfig& config,
                const std::string& pointer);

}  // namespace tsunagi::topo
