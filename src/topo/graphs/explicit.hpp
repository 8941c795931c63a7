// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/describe.hpp"
#include "topo/graph.hpp"
#include "topo/graphs/explicit_networks.hpp"
#include "topo/parts.hpp"

namespace tsunagi::topo {

/// One wire between two named ports.
struct LinkConfig : CableConfig {
  std::vector<std::string> ends;
  config::AnyConfig wire;
};
void describe(LinkConfig& c, config::Describer& d);

/// Several devices with their inner wires under one name; a part that machines reuse (a node).
struct GroupConfig {
  std::vector<std::pair<std::string, config::AnyConfig>> devices;
  std::vector<LinkConfig> links;
};
void describe(GroupConfig& c, config::Describer& d);

/// The topology that lists everything; always works.
struct ExplicitConfig {
  GroupConfig all;
  std::vector<NetworkConfig> networks;
};
void describe(ExplicitConfig& c, config::Describer& d);

/// Adds the group's devices and links, names prefixed by `prefix` ("node0."), to `g`.
/// Throws config::ConfigError for ends that name no device.
void add_group(Graph& g, const GroupConfig& group, const std::string& prefix, const std::string& pointer);

/// "no device \"nodo0\"; did you mean …", or which there are.
std::string no_device(const std::string& name, const std::vector<std::string>& known);

Graph build_explicit(const ExplicitConfig& c);

}  // namespace tsunagi::topo
