// SPDX-License-Identifier: Apache-2.0
#include "models/peach2/dma_registers.hpp"

namespace tsunagi::peach2 {

std::uint64_t* DmaRegisters::at(std::uint64_t offset) {
  if (offset == Registers::status) return &status_address_;
  const std::uint64_t number = offset / Registers::descriptor_block;
  const std::uint64_t word = offset % Registers::descriptor_block / 8;
  if (number >= words_.size() || word >= words_[number].size() || offset % 8 != 0) return nullptr;
  return &words_[number][word];
}

Descriptor DmaRegisters::descriptor(std::size_t number) const {
  const auto& word = words_[number];
  const auto bytes = [](std::uint64_t n) { return Bytes(static_cast<std::int64_t>(n)); };
  Descriptor d;
  d.source = word[Registers::source / 8];
  d.destination = word[Registers::destination / 8];
  d.length = bytes(word[Registers::length / 8]);
  d.burst = bytes(word[Registers::stride / 8] & 0xffffffff);
  d.gap = bytes(word[Registers::stride / 8] >> 32);
  const std::uint64_t flags = word[Registers::flags / 8];
  d.source_strided = (flags & Registers::source_strided) != 0;
  d.destination_strided = (flags & Registers::destination_strided) != 0;
  check(d);
  return d;
}

}  // namespace tsunagi::peach2
