// SPDX-License-Identifier: Apache-2.0
#include "models/peach2/address_map.hpp"

namespace tsunagi::peach2 {

AddressMap::AddressMap(Bytes window_base, Bytes window_size, int nodes)
    : base_(static_cast<std::uint64_t>(window_base.count())), window_(window_size), nodes_(nodes) {
  int shares = 1;
  while (shares < nodes) shares *= 2;
  share_ = Bytes(window_size.count() / shares);
}

std::uint64_t AddressMap::address(int node, Region r, std::uint64_t offset) const {
  return base_ + static_cast<std::uint64_t>(share_.count()) * static_cast<std::uint64_t>(node) +
         static_cast<std::uint64_t>(region_size().count()) * static_cast<std::uint64_t>(r) + offset;
}

std::optional<int> AddressMap::node_of(std::uint64_t address) const {
  if (address - base_ >= static_cast<std::uint64_t>(window_.count())) return std::nullopt;
  const auto node = static_cast<int>((address - base_) / static_cast<std::uint64_t>(share_.count()));
  if (node >= nodes_) return std::nullopt;
  return node;
}

Region AddressMap::region_of(std::uint64_t address) const {
  const std::uint64_t in_share = (address - base_) % static_cast<std::uint64_t>(share_.count());
  return static_cast<Region>(in_share / static_cast<std::uint64_t>(region_size().count()));
}

std::uint64_t AddressMap::offset_in_region(std::uint64_t address) const {
  return (address - base_) % static_cast<std::uint64_t>(region_size().count());
}

std::optional<int> route(const std::vector<RouteRegister>& registers, std::uint64_t address) {
  for (const RouteRegister& r : registers)
    if (r.matches(address)) return r.port;
  return std::nullopt;
}

}  // namespace tsunagi::peach2
