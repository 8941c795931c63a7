// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>
#include <vector>

#include "flow/contents.hpp"
#include "models/libraries/marks.hpp"
#include "support/catch.hpp"

namespace library_marks_test {

using namespace tsunagi;
using libraries::Marks;

TEST_CASE("a message's last word says its number, or that it was sent later") {
  for (const std::int64_t width : {1, 2, 3, 4, 5, 7, 8}) {
    const Bytes n_bytes(width);
    for (const std::uint64_t n : {1, 2, 100, 127, 255, 256, 70'000}) {
      CHECK((width == 8 || Marks::of(n, n_bytes) >> (8 * width) == 0));
      CHECK(Marks::says(Marks::of(n, n_bytes), n_bytes, n));
      CHECK(Marks::says(Marks::of(n + 5, n_bytes), n_bytes, n));
      CHECK_FALSE(Marks::says(Marks::of(n - 1, n_bytes), n_bytes, n));
    }
    CHECK_FALSE(Marks::says(0, n_bytes, 1));
  }
}

TEST_CASE("what messages of other lengths left is not taken for a message") {
  std::array<std::uint8_t, 128> memory{};
  std::uint64_t sent = 0;
  const std::vector<std::size_t> sizes{1, 2, 4,  8,  12, 60, 64, 63, 65, 62, 68, 61,
                                       8, 9, 16, 13, 3,  7,  6,  5,  64, 57, 71};
  for (int round = 0; round < 60; ++round)
    for (std::size_t first = 0; first < sizes.size(); ++first)
      for (const std::size_t size :
           {sizes[first], sizes[(first * 7 + static_cast<std::size_t>(round)) % sizes.size()]}) {
        const Bytes n_bytes = Marks::width(Bytes(static_cast<std::int64_t>(size)));
        const auto width = static_cast<std::size_t>(n_bytes.count());
        std::uint8_t* last = &memory[size - width];
        const auto is_there = [&](std::uint64_t n) { return Marks::says(flow::read_word(last, width), n_bytes, n); };
        ++sent;
        REQUIRE_FALSE(is_there(sent));
        // A line may end within the word: its first half comes before the other.
        for (std::size_t cut = 1; size > 8 && cut <= 4; ++cut) {
          std::array<std::uint8_t, 8> before{};
          std::memcpy(before.data(), last, 8);
          flow::write_word(last, Marks::of(sent, n_bytes), cut);
          REQUIRE_FALSE(is_there(sent));
          std::memcpy(last, before.data(), 8);
        }
        flow::write_word(last, Marks::of(sent, n_bytes), width);
        REQUIRE(is_there(sent));
      }
}

}  // namespace library_marks_test
