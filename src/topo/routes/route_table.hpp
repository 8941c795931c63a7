// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "topo/network.hpp"

namespace tsunagi::topo {

/// Routes as a table: the port by which packets for a terminal leave a router.
class RouteTable final : public Routes {
 public:
  /// Of a router, numbered from 0.
  static constexpr int most_ports = 65535;
  /// Routers times terminals; each takes two bytes.
  static constexpr std::int64_t most_entries = std::int64_t{1} << 26;

  /// All empty.
  RouteTable(int routers, int terminals)
      : routers_(static_cast<std::size_t>(routers)), ports_(routers_ * static_cast<std::size_t>(terminals), none) {}

  void set(int router, int terminal, int port) { ports_[at(router, terminal)] = static_cast<std::uint16_t>(port); }
  /// -1: none.
  int port(int router, int terminal) const {
    const std::uint16_t p = ports_[at(router, terminal)];
    return p == none ? -1 : p;
  }

  Hop next(int router, const Trip& trip) const override { return {port(router, static_cast<int>(trip.destination))}; }
  bool by_destination() const override { return true; }

 private:
  static constexpr std::uint16_t none = most_ports;
  std::size_t at(int router, int terminal) const {
    return static_cast<std::size_t>(terminal) * routers_ + static_cast<std::size_t>(router);
  }

  std::size_t routers_;
  std::vector<std::uint16_t> ports_;  // by terminal, then by router: who verifies takes a terminal at a time
};

}  // namespace tsunagi::topo
