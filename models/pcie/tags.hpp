// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "config/describe.hpp"

namespace tsunagi::pcie {

/// How many reads a function can have under way whose tags have so many bits: 32 with 5, 256 with 8 (extended tags),
/// 768 with 10, 15,360 with 14. Of the wider fields those tags are reserved that could be taken for ones of 8, or of
/// 10, bits (Base Specification 4.0 and 6.0, 2.2.6.2).
constexpr int usable_tags(int bits) {
  const int narrower = bits == 14 ? 10 : 8;
  return bits <= 8 ? 1 << bits : (1 << bits) - (1 << narrower);
}

/// The field "tag_bits" of a card.
inline void describe_tag_bits(int& bits, config::Describer& d) {
  d.field("tag_bits", bits, "of the tags of its reads: 5, 8 (extended tags), 10 (from Gen4 on) or 14 (Gen6)",
          config::one_of({5, 8, 10, 14}));
}

/// Refuses a card that has `tags` reads under way, by the field `name`, if tags of so many bits do not number them.
inline void require_tags(config::Describer& d, int tags, int bits, const std::string& name) {
  d.require(tags <= usable_tags(bits), "\"" + name + "\": the card has up to " + std::to_string(tags) +
                                           " reads under way, and tags of " + std::to_string(bits) + " bits number " +
                                           std::to_string(usable_tags(bits)));
}

}  // namespace tsunagi::pcie
