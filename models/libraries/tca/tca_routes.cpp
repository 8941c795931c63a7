// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/tca/tca_routes.hpp"

#include <algorithm>

#include "config/error_at.hpp"
#include "topo/routes/deadlock.hpp"

namespace tsunagi::libraries {

void check_reachable(const comm::ByRank<TcaNode>& nodes) {
  for (const TcaNode& from : nodes) {
    for (const TcaNode& to : nodes) {
      const peach2::Peach2* at = &from.chip();
      for (std::size_t hops = 0; at != nullptr && at != &to.chip() && hops <= nodes.size(); ++hops)
        at = at->next_towards(to.number());
      if (at != &to.chip())
        throw config::error_at("/machine", "node " + std::to_string(to.number()) + " cannot be reached from " +
                                               from.chip().name() + ": its routes lead nowhere or in a circle");
    }
  }
}

int cables(const comm::ByRank<TcaNode>& nodes, int from, int to) {
  const TcaNode& there = nodes[to];
  int n = 0;
  for (const peach2::Peach2* at = &nodes[from].chip(); at != &there.chip(); ++n) at = at->next_towards(there.number());
  return n;
}

std::string deadlock_advice(const comm::ByRank<TcaNode>& nodes) {
  // Ports E, W and S of each chip; what enters a ring behind a bubble never fills it (bubble flow control), so that
  // only chips without one can close a circle.
  const auto channel = [](const peach2::Peach2& chip, int to) {
    return static_cast<std::uint32_t>(chip.config().node * peach2::port_count +
                                      chip.find_port(chip.port_towards(to)->name()));
  };
  std::vector<topo::Dependency> all;
  for (const TcaNode& from : nodes)
    for (const TcaNode& to : nodes)
      for (const peach2::Peach2* at = &from.chip(); at != &to.chip();) {
        const peach2::Peach2* next = at->next_towards(to.number());
        if (next != &to.chip() && !next->leaves_bubbles())
          all.push_back({channel(*at, to.number()), channel(*next, to.number())});
        at = next;
      }
  const auto cycle = topo::dependency_cycle(static_cast<std::uint32_t>(nodes.size() * peach2::port_count), all);
  if (cycle.empty()) return {};
  std::string text = "packets can wait for each other in a circle:";
  for (const std::uint32_t c : cycle) {
    const peach2::Peach2& chip = nodes[c / peach2::port_count].chip();
    text += " " + chip.name() + "." + chip.ports()[c % peach2::port_count].name();
  }
  const bool small = std::any_of(nodes.begin(), nodes.end(), [](const auto& n) { return n.chip().short_of_room(); });
  return text + (small ? "; their buffers have no room for a bubble and a packet a chip of the ring, which avoids it"
                       : "; \"bubble\": 1 at the chips avoids it");
}

}  // namespace tsunagi::libraries
