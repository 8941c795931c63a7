// SPDX-License-Identifier: Apache-2.0
#include "models/peach2/chip_memory.hpp"

#include <algorithm>

#include "models/pcie/tlp.hpp"
#include "models/peach2/descriptor.hpp"

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
  const Bytes n = p.total_payload();
  const std::uint64_t end = offset + unsigned_of(n);
  const Time there = when.back().tail;
  if (n > pcie::largest_worded_read || n.count() % 8 != 0) {
    if (p.value != 0) set(end, p.value, there, now);
    return;
  }
  const auto& words = p.header<pcie::Tlp>().words;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (const std::uint64_t word_end = end - 8 * (words.size() - i); word_end > offset)
      set(word_end, words[i], there, now);
  set(end, p.value, there, now);
}

void ChipMemory::set(std::uint64_t end, std::uint64_t value, Time when, Time now) {
  if (value == 0 && words_.find(end) == words_.end()) return;
  std::vector<Version>& v = words_[end];
  // What nobody can read any more goes; what lies ahead stays in order of time.
  while (v.size() > 1 && v[1].since < now) v.erase(v.begin());
  const Version later{when, value};
  v.insert(std::upper_bound(v.begin(), v.end(), later,
                            [](const Version& a, const Version& b) {
                              return a.since != b.since ? a.since < b.since : a.value < b.value;
                            }),
           later);
}

std::uint64_t ChipMemory::value_ending_at(std::uint64_t end, Time before) const {
  const auto it = words_.find(end);
  std::uint64_t value = 0;
  if (it != words_.end())
    for (const Version& v : it->second)
      if (v.since < before) value = v.value;
  return value;
}

void ChipMemory::tell(std::uint64_t offset, Bytes n, Time now, flow::Packet& p) const {
  const std::uint64_t end = offset + unsigned_of(n);
  p.value = value_ending_at(end, now);
  auto& words = p.header<pcie::Tlp>().words;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint64_t word_end = end - 8 * (words.size() - i);
    words[i] = word_end > offset ? value_ending_at(word_end, now) : 0;
  }
}

}  // namespace tsunagi::peach2
