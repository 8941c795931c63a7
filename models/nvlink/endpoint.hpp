// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/pcie/slot.hpp"
#include "net/device.hpp"

namespace tsunagi::nvlink {

/// A device that answers at addresses on NVLink.
class Endpoint {
 public:
  virtual ~Endpoint() = default;
  /// The addresses; none while it has no such ports.
  virtual pcie::Window nvlink_window() const = 0;
};

/// Endpoints behind some of a device's ports.
struct Behind {
  const net::Device* device = nullptr;
  pcie::Window window;
  std::vector<int> ports;  // that lead there, in their order
  bool has(std::uint64_t address) const { return address - unsigned_of(window.base) < unsigned_of(window.size); }
};

/// The endpoints that are wired to ports of `device` from number `first` on, in the order of the first port of each.
std::vector<Behind> wired_to(const net::Device& device, int first);

}  // namespace tsunagi::nvlink
