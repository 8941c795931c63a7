// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "models/host/memory/byte_store.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"
#include "units/parse.hpp"

namespace host_byte_store_test {

using namespace tsunagi;
using host::ByteRange;
using host::ByteStore;

namespace {

Time ns(std::int64_t n) { return 1_ns * n; }
void write(ByteStore& s, std::uint64_t at, std::uint64_t word, Time when, std::uint64_t writer = 1) {
  s.write(at, flow::WordBytes(word), {when, writer, 0});
}

}  // namespace

TEST_CASE("bytes can be read by who follows their write, and are looked at once they have settled") {
  ByteStore s;
  flow::ContentsPool pool;
  write(s, 0x1000, 42, ns(5), 9);
  CHECK(s.word({0x1000, 0x1008}) == 0);
  const flow::Contents found = s.read(pool, {0xff0, 0x1010});
  REQUIRE(found);
  CHECK(found.offset() == 16_B);
  CHECK(found.size() == 8_B);
  CHECK(found.word(16_B) == 42);
  CHECK(found.sight().writer == 9);
  CHECK(found.sight().since == ns(5));
  CHECK_FALSE(s.read(pool, {0x1000, 0x1008}, ns(5)));
  CHECK(s.read(pool, {0x1000, 0x1008}, ns(5) + 1_fs));
  CHECK(s.next() == ns(5));
  const ByteRange settled = s.settle_one();
  CHECK(settled.begin == 0x1000);
  CHECK(settled.end == 0x1008);
  CHECK(s.word({0x1000, 0x1008}) == 42);
  CHECK(s.mark({0x1000, 0x1008}).writer == 9);
  CHECK_FALSE(s.waits());
}

TEST_CASE("words of a line know their own writers, whoever wrote the others") {
  ByteStore s;
  const auto writer = [&s](std::uint64_t at, std::uint64_t n = 8) { return s.mark({at, at + n}).writer; };
  const auto settle = [&s](std::uint64_t at, std::uint64_t who, std::int64_t when) {
    write(s, at, 1, ns(when), who);
    s.settle_one();
  };
  settle(0x1008, 5, 1);
  CHECK(writer(0x1008) == 5);
  CHECK(writer(0x1000) == 0);
  CHECK(writer(0x1000, 64) == 5);
  settle(0x1008, 6, 2);  // the same word again
  CHECK(writer(0x1008) == 6);
  settle(0x1010, 7, 3);  // another one
  CHECK(writer(0x1008) == 6);
  CHECK(writer(0x1010) == 7);
  CHECK(writer(0x1000, 64) == 7);
  CHECK(writer(0x1018) == 0);
  settle(0x1008, 8, 4);
  CHECK(writer(0x1008) == 8);
  CHECK(writer(0x1010) == 7);
  s.preset(0x1020, flow::WordBytes(1));
  CHECK(writer(0x1020) == 0);
  CHECK(writer(0x1008) == 8);
}

TEST_CASE("what has always been there is there while writes wait, which stay so") {
  ByteStore s;
  write(s, 0x1000, 42, ns(5));
  s.preset(0x2ffc, flow::WordBytes(0x0807060504030201));  // over the end of a page
  CHECK(s.word({0x2ffc, 0x3004}) == 0x0807060504030201);
  CHECK(s.mark({0x2ffc, 0x3004}).writer == 0);
  CHECK(s.has({0x3003, 0x3004}));
  CHECK(s.word({0x1000, 0x1008}) == 0);
  REQUIRE(s.waits());
  CHECK(s.settle_one().begin == 0x1000);
  CHECK(s.word({0x1000, 0x1008}) == 42);
}

TEST_CASE("nothing is kept where nothing was said") {
  ByteStore s;
  flow::ContentsPool pool;
  CHECK_FALSE(s.read(pool, {0, 4096}));
  write(s, 0x10'0000, 1, ns(0));
  write(s, 0x30'0000, 2, ns(0));
  s.settle(ns(1));
  CHECK_FALSE(s.has({0x10'0008, 0x30'0000}));
  CHECK_FALSE(s.has({0, 0x10'0000}));
  CHECK_FALSE(s.has({0x30'0008, ~std::uint64_t{0}}));
  CHECK(s.has({0x10'0007, 0x10'0009}));
  CHECK(s.has({0, ~std::uint64_t{0}}));
  s.forget({0x10'0000, 0x10'0008});
  CHECK_FALSE(s.has({0, 0x30'0000}));
}

TEST_CASE("a zero that is written is kept, and bytes between two that are kept are 0") {
  ByteStore s;
  flow::ContentsPool pool;
  write(s, 64, 0, ns(0));
  write(s, 200, 7, ns(1));
  CHECK(s.has({64, 72}));
  s.settle(ns(1));
  const flow::Contents found = s.read(pool, {0, 256});
  CHECK(found.offset() == 64_B);
  CHECK(found.end() == 208_B);
  CHECK(found.word(100_B) == 0);
  CHECK(found.word(200_B) == 7);
  CHECK_THROWS_AS((write(s, 8192, 1, ns(2)), s.read(pool, {0, 16384})), std::logic_error);
}

TEST_CASE("writes are settled by time, those of one time as they came") {
  ByteStore s;
  write(s, 0, 1, ns(5));
  write(s, 0, 2, ns(3));
  write(s, 0, 3, ns(5));
  s.settle(ns(5));
  CHECK(s.word({0, 8}) == 2);
  s.settle(ns(6));
  CHECK(s.word({0, 8}) == 3);
}

TEST_CASE("where order means nothing, the larger number is written later") {
  for (const bool first : {true, false}) {
    ByteStore s(ByteStore::Ties::by_number);
    write(s, 0, first ? 0x100 : 0xff, ns(5));
    write(s, 0, first ? 0xff : 0x100, ns(5));
    s.settle(ns(6));
    CHECK(s.word({0, 8}) == 0x100);
  }
}

TEST_CASE("a store of bytes is what an array with holes would be") {
  std::mt19937 dice(7);
  constexpr std::uint64_t base = 0xff00;  // so that lines and pages are crossed
  constexpr std::uint64_t size = 3000;
  ByteStore s;
  flow::ContentsPool pool;
  using Row = std::vector<std::uint8_t>;
  std::map<std::uint64_t, std::uint8_t> settled;
  std::vector<std::tuple<std::uint64_t, Row, Row>> waiting;
  const auto put = [](const auto& write, std::map<std::uint64_t, std::uint8_t>& to) {
    const auto& [at, bytes, said] = write;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      if (said[i] != 0) to[at + i] = bytes[i];
  };
  for (int step = 0; step < 400; ++step) {
    Row bytes(1 + dice() % (step % 10 == 0 ? 1000 : 20));
    Row said(bytes.size(), 0xff);
    for (std::size_t i = 1; i + 1 < said.size(); ++i) said[i] = dice() % 4 == 0 ? 0xff : 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(dice()) & said[i];
    const std::uint64_t at = base + dice() % (size - bytes.size());
    s.write(at, {bytes.data(), bytes.size(), said.data()}, {ns(step), 1, 0});
    waiting.emplace_back(at, bytes, said);
    while (waiting.size() > dice() % 5) {
      s.settle_one();
      put(waiting.front(), settled);
      waiting.erase(waiting.begin());
    }
    auto newest = settled;
    for (const auto& write : waiting) put(write, newest);
    const std::uint64_t from = base + dice() % size, to = from + 1 + dice() % (base + size - from);
    const flow::Contents found = s.read(pool, {from, to});
    const auto first = newest.lower_bound(from), last = newest.lower_bound(to);
    REQUIRE(static_cast<bool>(found) == (first != last));
    REQUIRE(s.has({from, to}) == (first != last));
    std::vector<std::uint8_t> copied(to - from);
    s.copy({from, to}, copied.data());
    for (std::uint64_t a = from; a < to; ++a) {
      const auto byte = newest.find(a);
      REQUIRE(found.word(Bytes(static_cast<std::int64_t>(a - from)), 1_B) == (byte == newest.end() ? 0 : byte->second));
      const auto part = found.part(Bytes(static_cast<std::int64_t>(a - from)), 1_B);
      REQUIRE((part.bytes.size == 1) == (byte != newest.end()));
      REQUIRE(copied[a - from] == (settled.count(a) ? settled[a] : 0));
    }
    if (!found) continue;
    CHECK(found.offset() == Bytes(static_cast<std::int64_t>(first->first - from)));
    CHECK(found.end() == Bytes(static_cast<std::int64_t>(std::prev(last)->first + 1 - from)));
  }
}

}  // namespace host_byte_store_test
