// SPDX-License-Identifier: Apache-2.0
#include "models/peach2/chip_memory.hpp"

namespace tsunagi::peach2 {

void describe(ChipMemoryConfig& c, config::Describer& d) {
  using namespace config;
  d.field("internal_cycles", c.internal_cycles,
          "from a read of registers or descriptor memory to its first data, in cycles", within(1, 64), ideal(1));
  d.field("packet_memory_cycles", c.packet_memory_cycles,
          "from a read of packet memory (the board's DDR3 memory) to its first data, in cycles", within(1, 200),
          ideal(1));
  d.field("packet_memory", c.packet_memory, "bytes of packet memory; 0 B: none", at_most(16_GiB));
}

namespace {

constexpr std::uint64_t descriptors_end = ChipRegion::of_descriptor(ChipRegion::descriptors);

}  // namespace

bool ChipMemory::in_descriptors(std::uint64_t offset, Bytes n) const {
  return offset >= ChipRegion::descriptor_memory && offset + unsigned_of(n) <= descriptors_end;
}

bool ChipMemory::in_packets(std::uint64_t offset, Bytes n) const {
  return offset >= ChipRegion::packet_memory &&
         offset + unsigned_of(n) <= ChipRegion::packet_memory + unsigned_of(config_.packet_memory);
}

std::uint64_t ChipMemory::end() const {
  const std::uint64_t packets = unsigned_of(config_.packet_memory);
  return packets == 0 ? descriptors_end : ChipRegion::packet_memory + packets;
}

void ChipMemory::write(const flow::Packet& p, std::uint64_t offset, const net::Schedule& when, Time now) {
  if (!p.contents) return;
  bytes_.settle(now);  // nobody can read any more what was there before
  for (std::int32_t i = 0; i < p.count; ++i) {
    const flow::Contents::Part part = p.contents.part(p.payload * i, p.payload_of(i));
    bytes_.write(offset + unsigned_of(p.payload * i + part.at), part.bytes,
                 {when[static_cast<std::size_t>(i)].tail, p.id, p.hops});
  }
}

flow::Contents ChipMemory::read(flow::ContentsPool& pool, std::uint64_t offset, Bytes n, Time now) {
  bytes_.settle(now);
  flow::Contents found = bytes_.read(pool, {offset, offset + unsigned_of(n)}, now);
  if (found) found.sight().read = now;
  return found;
}

}  // namespace tsunagi::peach2
