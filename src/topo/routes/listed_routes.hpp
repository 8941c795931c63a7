// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "topo/network.hpp"
#include "topo/network_names.hpp"
#include "topo/routes/route_table.hpp"

namespace tsunagi::topo {

/// Routes of entries "router terminal port", each of which may name the next router in place of the port: then of
/// several cables to it the terminal's number chooses, as in `shortest_routes`. Terminal "*" stands for all that the
/// router has no entry for. Terminals of its own a router reaches by their ports, without an entry. Routes that no
/// entry says stay empty. Throws config::ConfigError, at the entry below `pointer`, for one that names nothing there
/// is, leads to nothing or to another terminal, or was said before.
RouteTable listed_routes(const Network& network, const NetworkNames& names, const std::vector<std::string>& entries,
                         const std::string& pointer);

/// A text's words, which blanks part.
std::vector<std::string> words_of(const std::string& text);

}  // namespace tsunagi::topo
