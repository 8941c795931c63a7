// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "comm/by_rank.hpp"
#include "models/libraries/tca/tca_node.hpp"

namespace tsunagi::libraries {

/// Walks the chips' routing registers between all nodes. Throws config::ConfigError if one cannot be reached.
void check_reachable(const comm::ByRank<TcaNode>& nodes);

/// How many cables packets cross between the chips of two nodes, which are reachable.
int cables(const comm::ByRank<TcaNode>& nodes, int from, int to);

/// If packets can wait for each other in a circle, because routes go round a ring whose chips leave no bubble: which
/// ports, and what avoids it. Empty if they cannot.
std::string deadlock_advice(const comm::ByRank<TcaNode>& nodes);

}  // namespace tsunagi::libraries
