// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/tca/tca_dma.hpp"

namespace tsunagi::libraries {

using peach2::ChipRegion;
using peach2::Descriptor;
using peach2::Registers;

void TcaDma::set(Fiber& f, std::uint64_t reg, std::uint64_t value) {
  ++stores_;
  node_.core().store(f, node_.reg(reg), 8_B, value, 0);
}

void TcaDma::program(Fiber& f, std::uint64_t owner, const std::vector<Descriptor>& descriptors) {
  strided_.resize(Registers::descriptors);
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    const Descriptor& d = descriptors[i];
    const std::uint64_t base = Registers::of_descriptor(channel_, static_cast<int>(i));
    set(f, base + Registers::source, d.source);
    set(f, base + Registers::destination, d.destination);
    set(f, base + Registers::length, static_cast<std::uint64_t>(d.length.count()));
    const bool strided = d.source_strided || d.destination_strided;
    if (strided || strided_[i]) {
      set(f, base + Registers::stride,
          static_cast<std::uint64_t>(d.burst.count()) | static_cast<std::uint64_t>(d.gap.count()) << 32);
      set(f, base + Registers::flags,
          (d.source_strided ? Registers::source_strided : 0) |
              (d.destination_strided ? Registers::destination_strided : 0));
      strided_[i] = strided;
    }
  }
  owner_ = owner;
}

std::uint64_t TcaDma::write_chain(Fiber& f, bool in_chip, std::uint64_t table,
                                  const std::vector<Descriptor>& descriptors) {
  const auto address = [&](std::size_t i) {
    return in_chip ? node_.reg(ChipRegion::of_descriptor(static_cast<int>(table + i)))
                   : table + static_cast<std::uint64_t>(Descriptor::size.count()) * i;
  };
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    const bool last = i + 1 == descriptors.size();
    const peach2::DescriptorWords words = peach2::encode({descriptors[i], last ? 0 : address(i + 1)});
    for (std::size_t w = 0; w < words.size(); ++w) {
      node_.core().store(f, address(i) + 8 * w, 8_B, words[w], 0);
      if (!in_chip) continue;
      // The chip's memory is mapped uncached: one store is on the bus before the next one begins (Intel 64 SDM,
      // volume 3, 11.3, strong ordering).
      node_.core().store_fence(f);
      ++stores_;
    }
  }
  return address(0);
}

void TcaDma::status_to(Fiber& f, std::uint64_t address) {
  if (status_ == address) return;
  set(f, Registers::of_channel(channel_) + Registers::status, address);
  status_ = address;
}

void TcaDma::ring(Fiber& f, int n) {
  ++started_;
  set(f, Registers::of_channel(channel_) + Registers::control, static_cast<std::uint64_t>(n));
}

void TcaDma::ring_chain(Fiber& f, std::uint64_t first) {
  ++started_;
  set(f, Registers::of_channel(channel_) + Registers::chain, first);
}

}  // namespace tsunagi::libraries
