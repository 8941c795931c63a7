// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/peach2/descriptor.hpp"
#include "models/peach2/registers.hpp"

namespace tsunagi::peach2 {

/// The words that a DMA channel keeps: its descriptors' and where its status goes. What a write starts is the channel's
/// to know.
class DmaRegisters {
 public:
  /// The word at `offset` within the channel's block; null: there is none.
  std::uint64_t* at(std::uint64_t offset);
  const std::uint64_t* at(std::uint64_t offset) const { return const_cast<DmaRegisters*>(this)->at(offset); }
  /// What the words of descriptor `number` (below `descriptors`) describe. Throws std::invalid_argument if the engine
  /// cannot do that.
  Descriptor descriptor(std::size_t number) const;
  std::size_t descriptors() const { return words_.size(); }
  /// Where the status is written; 0: nowhere.
  std::uint64_t status_address() const { return status_address_; }

 private:
  std::array<std::array<std::uint64_t, Registers::descriptor_words>, Registers::descriptors> words_{};
  std::uint64_t status_address_ = 0;
};

}  // namespace tsunagi::peach2
