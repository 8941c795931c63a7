// SPDX-License-Identifier: Apache-2.0
#include "import/numa_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace tsunagi::importing {

void join_numa_nodes(Server& server, Findings& findings) {
  const std::size_t nodes = server.sockets.size();
  const bool are_epyc = std::all_of(server.sockets.begin(), server.sockets.end(),
                                    [](const Socket& s) { return s.vendor == "AuthenticAMD"; });
  if (!are_epyc || (nodes != 4 && nodes != 8)) return;
  const std::size_t each = nodes / 2;
  std::vector<Socket> sockets;
  for (std::size_t i = 0; i < nodes; ++i) {
    Socket& node = server.sockets[i];
    if (i % each == 0) {
      sockets.push_back(std::move(node));
      sockets.back().said += fmt::format("; {} NUMA nodes in a socket are taken as one", each);
      continue;
    }
    std::vector<Card>& cards = sockets.back().cards;
    cards.insert(cards.end(), std::make_move_iterator(node.cards.begin()), std::make_move_iterator(node.cards.end()));
  }
  server.sockets = std::move(sockets);
  findings.warn(
      server.sockets.front().place,
      fmt::format("{} NUMA nodes of EPYC processors are taken as two sockets with {} nodes each (NPS{}), whose "
                  "memory is one",
                  nodes, each, each));
}

}  // namespace tsunagi::importing
