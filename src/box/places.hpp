// SPDX-License-Identifier: Apache-2.0
// The memories and cards of one server, as who measures it names them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "topo/graph.hpp"

namespace tsunagi::box {

/// What stands in a row and a column of the matrix.
struct Place {
  enum class Kind {
    memory,   ///< of a socket
    gpu,      ///< its own memory
    card,     ///< that does DMA by itself: a network card's DMA side, an NVMe drive, an exerciser
    adapter,  ///< of a network, whose DMA is that network's: a host channel adapter
  };
  std::string name;    ///< without what the server's names begin with: "gpu0"
  std::string device;  ///< as the machine names it: "node0.gpu0"
  Kind kind = Kind::memory;
  std::uint32_t node = 0;           ///< in the graph
  std::uint32_t root_complex = 0;   ///< its socket's
  std::vector<std::size_t> uplink;  ///< of a card: the wires to the root complex, in the graph, its own first
};

/// One server of a machine.
struct Server {
  std::string node;           ///< what its devices' names begin with, without the dot; may be empty
  std::vector<Place> places;  ///< memories, then GPUs, then cards, each in the machine's order
  std::size_t others = 0;     ///< servers of the machine that are not looked at: their memories' name spaces

  /// The core at the root complex of a place; empty: there is none.
  std::string core_of(const Place& p) const;
  /// The memory there; null: none.
  const Place* memory_of(const Place& p) const;
  /// Null: there is no such place.
  const Place* find(const std::string& name) const;

  struct Core {
    std::string name;                ///< as places are called
    std::uint32_t node = 0;          ///< in the graph
    std::uint32_t root_complex = 0;  ///< its socket's
  };
  std::vector<Core> cores = {};
};

/// That of the first memory at a root complex. Throws std::invalid_argument for a machine without one, or in which it
/// finds nothing to measure beside memories.
Server server_of(const topo::Graph& graph);

/// The wires between two places of a server: of GPUs that NVLink joins its links, else their own up to where their ways
/// meet, and between root complexes.
std::vector<std::size_t> way_between(const topo::Graph& graph, const Place& a, const Place& b);

/// A part or wire with its defaults, as JSON. `family`: "device" or "wire".
nlohmann::ordered_json fields_of(const config::AnyConfig& part, const char* family);

/// "PCIe Gen3 x16", "NVLink 3", "InfiniBand HDR 4x"; of other wires what they are called.
std::string wire_name(const topo::Link& link);

}  // namespace tsunagi::box
