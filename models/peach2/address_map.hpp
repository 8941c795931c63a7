// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "units/address.hpp"

namespace tsunagi::peach2 {

/// What a node's share of the window is divided into, in equal aligned quarters (paper 000, 3.4).
enum class Region : std::uint8_t { host = 0, gpu0 = 1, gpu1 = 2, chip = 3 };

/// The address space that all chips of a sub-cluster share: one window, divided by its upper bits
/// among the nodes, each share among the node's host memory, GPUs and the chip itself.
/// Shares are powers of two and aligned, so that routing compares upper bits only.
class AddressMap {
 public:
  /// `window_base` is a multiple of `window_size`; both powers of two times the node count rounded up.
  AddressMap(Bytes window_base, Bytes window_size, int nodes);

  Bytes share() const { return share_; }
  Bytes region_size() const { return Bytes(share_.count() / 4); }
  /// Byte `offset` of a region.
  Address address(int node, Region r, std::uint64_t offset = 0) const;
  /// The node that an address belongs to; none outside the window.
  std::optional<int> node_of(Address address) const;
  Region region_of(Address address) const;
  std::uint64_t offset_in_region(Address address) const;

 private:
  Address base_;
  Bytes window_;
  Bytes share_;
  int nodes_;
};

/// One routing register set: an address matches when (address & mask) lies in [low, high].
struct RouteRegister {
  std::uint64_t mask = 0;
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  int port = 0;
  bool matches(Address address) const {
    const std::uint64_t masked = address.value() & mask;
    return low <= masked && masked <= high;
  }
};

/// The first register that matches; none: unreachable.
std::optional<int> route(const std::vector<RouteRegister>& registers, Address address);

}  // namespace tsunagi::peach2
