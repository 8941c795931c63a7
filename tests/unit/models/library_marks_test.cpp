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
  Marks marks;
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
        const std::uint64_t sent = ++marks.last(Bytes(static_cast<std::int64_t>(size))).sent;
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

TEST_CASE("short messages are told apart, however many longer ones lie between") {
  for (const std::size_t size : {1, 2, 3, 5, 8})
    for (const std::size_t between : {9, 12, 16, 64})
      for (const int times : {127, 128, 200, 256, 2048, 3000, 40'000}) {
        CAPTURE(size, between, times);
        std::array<std::uint8_t, 64> memory{};
        Marks marks;
        const auto store = [&](std::size_t n) {
          const Bytes message(static_cast<std::int64_t>(n));
          const Bytes width = Marks::width(message);
          const std::uint64_t mark = Marks::of(++marks.last(message).sent, width);
          flow::write_word(&memory[n - static_cast<std::size_t>(width.count())], mark,
                           static_cast<std::size_t>(width.count()));
        };
        const Bytes message(static_cast<std::int64_t>(size));
        for (int round = 0; round < 3; ++round) {
          for (int i = 0; i < times; ++i) store(between);
          const std::uint64_t next = marks.last(message).sent + 1;
          CHECK_FALSE(Marks::says(flow::read_word(memory.data(), size), message, next));
          store(size);
          CHECK(Marks::says(flow::read_word(memory.data(), size), message, next));
        }
      }
}

}  // namespace library_marks_test
