// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace tsunagi::topo {

/// A packet that holds buffer space of virtual channel `holds` may wait for space of `wants`. Virtual
/// channels of all wires are numbered by the caller.
struct Dependency {
  std::uint32_t holds = 0;
  std::uint32_t wants = 0;
};

/// One cycle of dependencies among virtual channels 0 .. channels-1, in the order in which each waits
/// for the next, none shorter through any of these; empty if there is none, and then the routes cannot deadlock (Dally
/// and Seitz, "Deadlock-Free Message Routing in Multiprocessor Interconnection Networks", IEEE ToC C-36, 1987).
std::vector<std::uint32_t> dependency_cycle(std::uint32_t channels, const std::vector<Dependency>& dependencies);

}  // namespace tsunagi::topo
