// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "units/bytes.hpp"

namespace tsunagi::libraries {

/// How the last word of a message (of one to eight bytes, as many as it has) says which one it is. The messages to a
/// place (where a receive buffer begins) are numbered 1, 2, 3 and so on, those that are all word apart from longer
/// ones. A word's lower half holds the number, as much of it as goes in, its upper half another one made of that: what
/// is left there of messages of other lengths, or half a word, is not taken for one. A single byte is all number; it is
/// that of longer words, too. The words of short messages share their first byte, which no longer message's word
/// reaches: it always holds the number before, however many longer ones came since, so that small numbers can wrap.
class Marks {
 public:
  /// Of a place: the numbers of the last message that was sent and of the last one that was received.
  struct Last {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
  };
  /// Those of all messages that are numbered with one of that length.
  Last& last(Bytes message) { return message <= Bytes(8) ? short_ : long_; }

  static constexpr Bytes width(Bytes message) { return std::min(message, Bytes(8)); }
  /// What the last word of message `number` says. The other half: multiplied as in multiplicative hashing (2^32 over
  /// the golden ratio) and changed by a constant of MurmurHash3's finaliser, so that number 0 is not all 0; any mixing
  /// does.
  static constexpr std::uint64_t of(std::uint64_t number, Bytes width) {
    const int bits = number_bits(width);
    const std::uint64_t low = number & ~std::uint64_t{0} >> (64 - bits);
    const std::uint64_t other = ((low * 0x9e3779b1 & 0xffffffff) ^ 0x85ebca6b) >> (32 - bits);
    return width == Bytes(1) ? low : low | other << bits;
  }
  /// Whether a word is that of message `number` or of one sent later; right as long as those are fewer than half of the
  /// numbers that the word can hold.
  static constexpr bool says(std::uint64_t word, Bytes width, std::uint64_t number) {
    return word == of(word, width) && static_cast<std::int64_t>((word - number) << (64 - number_bits(width))) >= 0;
  }

 private:
  static constexpr int number_bits(Bytes width) { return width == Bytes(1) ? 8 : static_cast<int>(4 * width.count()); }
  Last short_;
  Last long_;
};

}  // namespace tsunagi::libraries
