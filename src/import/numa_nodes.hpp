// SPDX-License-Identifier: Apache-2.0
// Sockets that files tell as several NUMA nodes each.
#pragma once

#include "import/findings.hpp"
#include "import/server.hpp"

namespace tsunagi::importing {

/// Four or eight nodes of EPYC processors are two sockets with NPS2 or NPS4, of which a server has no more than two:
/// their cards hang at one root complex, which has all of the socket's memory, as with NPS1. Nodes of other processors
/// stay sockets: servers with four exist. What is joined is told as a warning and in the sockets' comments.
void join_numa_nodes(Server& server, Findings& findings);

}  // namespace tsunagi::importing
