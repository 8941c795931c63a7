// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "flow/contents.hpp"
#include "units/bytes.hpp"

namespace tsunagi::infiniband {

/// What a card keeps of a queue pair at rest, or of a receive or completion queue, beside what software has set up:
/// numbers of what is next. All zero: as it was made.
struct SavedContext {
  static constexpr std::size_t words = 4;
  static constexpr Bytes size{8 * words};
  std::array<std::uint64_t, words> word{};
};

inline std::array<std::uint8_t, 8 * SavedContext::words> encode(const SavedContext& c) {
  std::array<std::uint8_t, 8 * SavedContext::words> bytes{};
  for (std::size_t i = 0; i < SavedContext::words; ++i) flow::write_word(&bytes[8 * i], c.word[i], 8);
  return bytes;
}
inline SavedContext decode_saved_context(const std::uint8_t* bytes) {
  SavedContext c;
  for (std::size_t i = 0; i < SavedContext::words; ++i) c.word[i] = flow::read_word(bytes + 8 * i, 8);
  return c;
}

}  // namespace tsunagi::infiniband
