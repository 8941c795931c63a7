// SPDX-License-Identifier: Apache-2.0
#include "models/host/contents.hpp"

#include "models/pcie/tlp.hpp"

namespace tsunagi::host {

void Contents::write(const flow::Packet& p, std::int32_t i, std::uint64_t address, Time when) {
  const Bytes n = p.payload_of(i);
  const std::uint64_t value = i + 1 == p.count ? p.value : 0;
  if (record_)
    extents_.push_back(
        {address, n, p.origin, p.origin_offset + static_cast<std::uint64_t>((p.payload * i).count()), value, when});
  if (value != 0)
    words_.write(address + static_cast<std::uint64_t>(n.count()), value, when, p.id, p.header<pcie::Tlp>().hops);
}

}  // namespace tsunagi::host
