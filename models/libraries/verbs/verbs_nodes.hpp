// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "comm/by_rank.hpp"
#include "models/libraries/verbs/verbs_node.hpp"

namespace tsunagi::libraries {

/// The machine's nodes with host channel adapters, by the LID of their first rail. Throws config::ConfigError, which
/// names the library, if there are fewer than two, or a rail's ports are not in one subnet.
comm::ByRank<VerbsNode> verbs_nodes(const VerbsNodeConfig& c, Machine& m, const std::string& library);

}  // namespace tsunagi::libraries
