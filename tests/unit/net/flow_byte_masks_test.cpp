// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>

#include "flow/byte_masks.hpp"
#include "stats/random.hpp"
#include "support/catch.hpp"

namespace flow_byte_masks_test {

using namespace tsunagi;

namespace {

constexpr std::size_t line = 64;
using Line = std::array<std::uint8_t, line>;

/// Some bytes, and which of them say something; the others are 0.
struct Some {
  Line data{};
  Line said{};
  std::uint64_t bits = 0;
};

Some draw(stats::RandomStream& random) {
  Some s;
  for (std::size_t i = 0; i < line; ++i) {
    if (random.below(3) == 0) continue;
    s.data[i] = static_cast<std::uint8_t>(random.below(256));
    s.said[i] = 0xff;
    s.bits |= std::uint64_t{1} << i;
  }
  return s;
}

}  // namespace

TEST_CASE("which bytes say something is told by a bit each, or by a byte") {
  stats::RandomStream random(1, "masks");
  for (int round = 0; round < 200; ++round) {
    const Some s = draw(random);
    for (std::size_t n = 0; n <= line; ++n) {
      const std::uint64_t lowest = n == line ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
      CHECK(flow::bits_of_said(s.said.data(), n) == (s.bits & lowest));
    }
    Line said;
    flow::said_of_bits(s.bits, said.data());
    CHECK(said == s.said);
  }
}

TEST_CASE("of bytes of which some say nothing, the others are written, and none behind the last") {
  stats::RandomStream random(2, "masks");
  for (int round = 0; round < 20; ++round) {
    const Some old = draw(random);
    const Some more = draw(random);
    for (std::size_t n = 0; n <= line; ++n) {
      Line expected = old.data, said = old.said;
      for (std::size_t i = 0; i < n; ++i)
        if ((more.bits >> i & 1) != 0) {
          expected[i] = more.data[i];
          said[i] = 0xff;
        }
      Some now = old;
      flow::merge_said(now.data.data(), more.data.data(), more.said.data(), n);
      flow::join_said(now.said.data(), more.said.data(), n);
      CHECK(now.data == expected);
      CHECK(now.said == said);
    }
  }
}

}  // namespace flow_byte_masks_test
