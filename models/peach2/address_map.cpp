// SPDX-License-Identifier: Apache-2.0
#include "models/peach2/address_map.hpp"

namespace tsunagi::peach2 {

AddressMap::AddressMap(Bytes window_base, Bytes window_size, int nodes)
    : base_(Address::at(window_base)), window_(window_size), nodes_(nodes) {
  int shares = 1;
  while (shares < nodes) shares *= 2;
  share_ = Bytes(window_size.count() / shares);
}

Address AddressMap::address(int node, Region r, std::uint64_t offset) const {
  return base_ + share_ * node + region_size() * static_cast<int>(r) + Bytes(static_cast<std::int64_t>(offset));
}

std::optional<int> AddressMap::node_of(Address address) const {
  if (!lies_in(address, base_, window_)) return std::nullopt;
  const auto node = static_cast<int>(unsigned_of(address - base_) / unsigned_of(share_));
  if (node >= nodes_) return std::nullopt;
  return node;
}

Region AddressMap::region_of(Address address) const {
  const std::uint64_t in_share = unsigned_of(address - base_) % unsigned_of(share_);
  return static_cast<Region>(in_share / unsigned_of(region_size()));
}

std::uint64_t AddressMap::offset_in_region(Address address) const {
  return unsigned_of(address - base_) % unsigned_of(region_size());
}

std::optional<int> route(const std::vector<RouteRegister>& registers, Address address) {
  for (const RouteRegister& r : registers)
    if (r.matches(address)) return r.port;
  return std::nullopt;
}

}  // namespace tsunagi::peach2
