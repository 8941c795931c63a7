// SPDX-License-Identifier: Apache-2.0
// Two equal servers with a cable between an adapter of each, as perftest measures adapters.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "box/places.hpp"
#include "machine/machine_config.hpp"

namespace tsunagi::box {

/// The other server, and the cable to it.
struct Twin {
  std::string adapter;          ///< with that of this server and its own: "hca0", of which port 1 is cabled
  nlohmann::ordered_json wire;  ///< the cable
  /// Devices that have each other's names there: a library has one name for the cores and memories of all servers.
  std::vector<std::pair<std::string, std::string>> swapped = {};
  std::vector<std::string> more = {};  ///< adapters that are cabled like that one
};

/// What the names of the other server's devices begin with, and the dot.
std::string twin_prefix(const Server& server);
/// Two servers' ranks in library verbs: this server's, the other one has the other of 0 and 1.
int own_rank(const Server& server, const std::string& adapter);

/// The cable at an adapter's first port: the machine's own InfiniBand wire there, else one as fast and wide as the
/// adapter.
nlohmann::ordered_json cable_of(const topo::Graph& graph, const Place& adapter);

/// Machine of two servers.
struct TwoServers {
  MachineConfig machine;
  /// Of each of its links the number in the graph of one server, beyond that graph's last one for the cables; `theirs`
  /// for links of the other server.
  std::vector<std::size_t> links;
  static constexpr std::size_t theirs = static_cast<std::size_t>(-1);
};

/// Of a server's part of a graph, and the same part of the other one's graph; `wire` is the twin's, read.
TwoServers two_servers(const topo::Graph& graph, const topo::Graph& others, const Twin& twin,
                       const config::AnyConfig& wire);

/// A text with names of the other server's devices, which are then called "node0.hca0 of the other server".
std::string told_of_twin(const std::string& text, const Server& server, const Twin& twin);

}  // namespace tsunagi::box
