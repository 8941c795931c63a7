// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "flow/contents.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"
#include "units/parse.hpp"

namespace flow_contents_test {

using namespace tsunagi;
using flow::Contents;
using flow::ContentsPool;

namespace {

/// Bytes 1, 2, 3, ... at `at`.
Contents counting(ContentsPool& pool, Bytes at, std::size_t n) {
  std::vector<std::uint8_t> bytes(n);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{1});
  Contents c;
  c.add(pool, at, {bytes.data(), n});
  return c;
}

}  // namespace

TEST_CASE("a number's lowest byte comes first") {
  std::uint8_t bytes[8];
  flow::write_word(bytes, 0x1122334455667788, 8);
  CHECK(bytes[0] == 0x88);
  CHECK(bytes[7] == 0x11);
  CHECK(flow::read_word(bytes, 8) == 0x1122334455667788);
  CHECK(flow::read_word(bytes, 3) == 0x667788);
  flow::write_word(bytes, 0, 2);
  CHECK(flow::read_word(bytes, 4) == 0x55660000);
}

TEST_CASE("words are read wherever they lie, and what is not there is 0") {
  ContentsPool pool;
  const Contents c = counting(pool, 100_B, 4);
  CHECK(c.word(100_B, 4_B) == 0x04030201);
  CHECK(c.word(98_B, 4_B) == 0x02010000);
  CHECK(c.word(102_B, 4_B) == 0x0403);
  CHECK(c.word(104_B) == 0);
  CHECK(c.word(92_B) == 0);
  CHECK(Contents().word(0_B) == 0);
}

TEST_CASE("what is added to contents is kept with what they have") {
  ContentsPool pool;
  Contents c = counting(pool, 20_B, 2);
  c.sight().writer = 5;
  const std::uint8_t more[] = {9, 8};
  c.add(pool, 10_B, {more, 2});
  CHECK(c.offset() == 10_B);
  CHECK(c.end() == 22_B);
  CHECK(c.word(10_B) == 0x0809);
  CHECK(c.word(18_B, 4_B) == 0x02010000);
  CHECK(c.sight().writer == 5);
  c.add(pool, 21_B, {more, 2});
  CHECK(c.word(20_B, 3_B) == 0x080901);
  CHECK(pool.outstanding() == 1);
}

TEST_CASE("bytes that say nothing are told apart from those that say 0") {
  ContentsPool pool;
  const std::uint8_t zero = 0;
  Contents c = counting(pool, 10_B, 2);
  c.add(pool, 20_B, {&zero, 1});
  CHECK(c.part(0_B, 15_B).at == 10_B);
  CHECK(c.part(0_B, 15_B).bytes.size == 2);
  CHECK(c.part(12_B, 8_B).bytes.size == 0);
  CHECK(c.part(11_B, 100_B).at == 0_B);
  CHECK(c.part(11_B, 100_B).bytes.size == 10);
  CHECK(c.part(12_B, 100_B).at == 8_B);
  const Contents copy = c;
  std::uint8_t over[11];
  std::fill_n(over, 11, std::uint8_t{7});
  merge(over, copy.bytes());
  CHECK(over[0] == 1);
  CHECK(over[2] == 7);
  CHECK(over[9] == 7);
  CHECK(over[10] == 0);
  Contents other = counting(pool, 11_B, 5);
  other.add(pool, 10_B, copy.bytes());
  CHECK(other.word(10_B, 6_B) == 0x0504'0302'0201);
  CHECK(other.size() == 11_B);
}

TEST_CASE("contents that are cut begin and end with what says something") {
  for (const std::int64_t cut : {12, 15, 20}) {
    ContentsPool pool;
    Contents rest = counting(pool, 10_B, 2);
    const std::uint8_t more = 9;
    rest.add(pool, 20_B, {&more, 1});
    const Contents front = rest.take_front(Bytes(cut));
    CHECK(front.offset() == 10_B);
    CHECK(front.size() == 2_B);
    CHECK(rest.offset() == Bytes(20 - cut));
    CHECK(rest.size() == 1_B);
    CHECK(rest.word(rest.offset(), 1_B) == 9);
  }
}

TEST_CASE("contents have 4 KiB at most") {
  ContentsPool pool;
  Contents c(pool, 0_B, 4_KiB);
  CHECK(c.word(4088_B) == 0);
  const std::uint8_t one = 1;
  c.add(pool, 4095_B, {&one, 1});
  CHECK(c.word(4095_B, 1_B) == 1);
  CHECK_THROWS_AS(c.add(pool, 4096_B, {&one, 1}), std::logic_error);
  CHECK_THROWS_AS(Contents(pool, 0_B, 0_B), std::logic_error);
  CHECK_THROWS_AS(Contents(pool, 0_B, 4097_B), std::logic_error);
}

TEST_CASE("a copy of contents is its own") {
  ContentsPool pool;
  Contents a = counting(pool, 0_B, 65);
  Contents b = a;
  CHECK(pool.outstanding() == 2);
  const std::uint8_t zero = 0;
  b.add(pool, 64_B, {&zero, 1});
  CHECK(a.word(64_B, 1_B) == 65);
  b = a;
  CHECK(b.word(64_B, 1_B) == 65);
  CHECK(pool.outstanding() == 2);
  b = std::move(a);
  CHECK(pool.outstanding() == 1);
  b.reset();
  CHECK(pool.outstanding() == 0);
}

TEST_CASE("the front of contents takes its bytes along, and the rest counts from the cut") {
  for (const std::int64_t cut : {0, 5, 10, 11, 60, 109, 110, 200}) {
    ContentsPool pool;
    Contents rest = counting(pool, 10_B, 100);
    const Contents front = rest.take_front(Bytes(cut));
    for (std::int64_t i = 10; i < 110; ++i)
      CHECK((i < cut ? front.word(Bytes(i), 1_B) : rest.word(Bytes(i - cut), 1_B)) ==
            static_cast<std::uint64_t>(i - 9));
    CHECK(static_cast<bool>(front) == (cut > 10));
    CHECK(static_cast<bool>(rest) == (cut < 110));
    CHECK(pool.outstanding() == (cut > 10 && cut < 110 ? 2 : 1));
  }
}

TEST_CASE("what was cut off at the front can be added again") {
  ContentsPool pool;
  Contents c = counting(pool, 0_B, 64);
  c.take_front(60_B);
  const std::uint8_t more[] = {1, 2};
  c.add(pool, 4_B, {more, 2});
  CHECK(c.word(0_B, 6_B) == 0x0201403f3e3d);
}

TEST_CASE("a part of contents tells where it begins") {
  ContentsPool pool;
  const Contents c = counting(pool, 10_B, 4);
  const auto part = c.part(8_B, 4_B);
  CHECK(part.at == 2_B);
  REQUIRE(part.bytes.size == 2);
  CHECK(part.bytes.data[0] == 1);
  CHECK(c.part(14_B, 4_B).bytes.size == 0);
  CHECK(Contents().part(0_B, 4_B).bytes.size == 0);
}

TEST_CASE("blocks of contents are used again, as new") {
  ContentsPool pool;
  const std::uint8_t* first = nullptr;
  {
    Contents c = counting(pool, 0_B, 8);
    c.sight().writer = 7;
    first = c.bytes().data;
  }
  Contents c(pool, 0_B, 8_B);
  CHECK(c.bytes().data == first);
  CHECK(c.word(0_B) == 0);
  CHECK(c.sight().writer == 0);
}

}  // namespace flow_contents_test
