// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topo/graph.hpp"

namespace tsunagi::topo {

/// What lies directly in a group of a machine, by the dots in the devices' names. A link lies in the innermost group
/// that holds both its ends.
struct Group {
  std::string name;  // of its own: "cpu0" of "node0.cpu0"; the machine's is empty
  std::vector<Group> groups;
  std::vector<std::uint32_t> nodes;  // of the graph, ascending, as the links are
  std::vector<std::uint32_t> links;
};

Group group_of(const Graph& graph);

/// The last part of a device's name.
std::string own_name(const std::string& name);

/// A link's name in its group: both ends as seen from there, with underscores for dots:
/// "node0_peach2_e__node1_peach2_w".
std::string link_name(const Graph& graph, const Link& link);

/// What is wrong with a port that several links claim: "port s0.e is connected twice: to s1.w and to node0.nic.net".
std::string connected_twice(const Graph& graph, const End& port);

}  // namespace tsunagi::topo
