// SPDX-License-Identifier: Apache-2.0
// A network as files about it tell: routers, cables between them, and what is attached.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "import/findings.hpp"
#include "import/request.hpp"

namespace tsunagi::importing {

struct FileNetwork {
  struct Router {
    config::Place place;
    std::string id;                      ///< a number, or letters, digits and _; unique
    std::string said;                    ///< what the file calls it; may be empty
    std::vector<std::string> terminals;  ///< what the file calls what is attached, in its order
  };
  struct Cable {
    config::Place place;
    std::size_t a = 0;  ///< routers
    std::size_t b = 0;
    std::string more;  ///< rate and delay, as edge lists have them: "25 Gbps 15 ns"; may be empty
  };
  std::vector<Router> routers;
  std::vector<Cable> cables;
  std::vector<std::string> notes;  ///< at the head of the machine, a line each

  // Values of a machine's topology, as JSON.
  std::string router;
  std::string wire;
  std::string terminal_wire;  ///< empty: as `wire`
  std::string terminal;       ///< key and value: "\"terminal\": {...}", or node and attach
};

/// A file of configs/parts, with more settings ("\"speed\": \"edr\"") or none.
std::string part(const Request& request, const std::string& name, const std::string& more = "");

/// The machine with shortest routes, and the same with up*/down* routes in case those can deadlock: an edge list, or a
/// crossbar if there is one router. Terminals are numbered router by router; comments say who they are. What a machine
/// cannot hold, and a network in two pieces, goes to `findings`: then the result is not to be used.
Imported network_text(const FileNetwork& network, const Request& request, Findings& findings);

}  // namespace tsunagi::importing
