// SPDX-License-Identifier: Apache-2.0
#include "models/process/memory_plan.hpp"

#include "models/libraries/tca/tca_words.hpp"
#include "support/catch.hpp"

namespace memory_plan_test {

using namespace tsunagi;
using namespace tsunagi::process;

TEST_CASE("areas are handed out from the end down") {
  MemoryPlan plan(0x10000, 0x40000);
  CHECK(plan.left() == 0x30000_B);
  CHECK(plan.kept() == 0_B);
  CHECK(plan.refusal().empty());
  const Area first = plan.take("first", 8_KiB);
  const Area second = plan.take("second", 4_KiB);
  CHECK(first.base == 0x3e000);
  CHECK(second.base == 0x3d000);
  CHECK(plan.lowest() == 0x3d000);
  CHECK(plan.left() == 0x2d000_B);
  CHECK(plan.kept() == 12_KiB);
  REQUIRE(plan.areas().size() == 2);
  CHECK(plan.areas()[0].name == "first");
  CHECK(plan.areas()[1].size == 4_KiB);
}

TEST_CASE("an area lies at the highest multiple of its alignment") {
  for (const std::uint64_t end : {0x40000, 0x40001, 0x40fff, 0x41000})
    for (const std::int64_t alignment : {1, 64, 4096, 65536})
      for (const std::int64_t size : {1, 63, 64, 4096, 5000}) {
        MemoryPlan plan(0, end);
        const std::uint64_t base = plan.take("area", Bytes(size), Bytes(alignment)).base;
        CHECK(base % static_cast<std::uint64_t>(alignment) == 0);
        CHECK(base + static_cast<std::uint64_t>(size) <= end);
        CHECK(base + static_cast<std::uint64_t>(size + alignment) > end);
      }
}

TEST_CASE("a memory that is too small is refused with all areas") {
  MemoryPlan plan(0, 16384);
  plan.take("rings", 8_KiB);
  CHECK(plan.refusal(8_KiB).empty());
  CHECK(plan.refusal(8193_B) ==
        "has 16 KiB, of which the driver keeps 8 KiB (rings 8 KiB), but programs need 8193 B of it");
  plan.take("tables", 8_KiB);
  CHECK(plan.refusal().empty());
  CHECK(plan.left() == 0_B);
  plan.take("staging buffer", 1_MiB);
  plan.take("words", 64_B);
  CHECK(plan.left() == 0_B);
  CHECK(plan.refusal() ==
        "has 16 KiB, of which the driver keeps 1044 KiB (rings 8 KiB, tables 8 KiB, staging buffer 1 MiB, words 64 B)");
}

TEST_CASE("a memory that does not begin at 0 ends where it begins") {
  MemoryPlan plan(0x10000, 0x12000);
  plan.take("area", 8_KiB);
  CHECK(plan.refusal().empty());
  plan.take("another", 1_B, 1_B);
  CHECK_FALSE(plan.refusal().empty());
}

TEST_CASE("rows of words lie one behind the other") {
  WordPlan plan;
  const WordRow sent = plan.take(3);
  const WordRow status = plan.take(1, 4_B);
  plan.next_line();
  plan.next_line();
  const WordRow requests = plan.take(2, 32_B);
  CHECK(sent.at(0) == 0);
  CHECK(sent.at(2) == 16);
  CHECK(status.at(0) == 24);
  CHECK(requests.at(0) == 64);
  CHECK(requests.at(1) == 96);
  CHECK(plan.used() == 128_B);
  CHECK(plan.pages() == 4_KiB);
  plan.take(496);
  CHECK(plan.pages() == 4_KiB);
  plan.take(1);
  CHECK(plan.pages() == 8_KiB);
}

TEST_CASE("each rank has words of its own, as many ranks as there are") {
  for (const int ranks : {1, 2, 16, 1000}) {
    libraries::TcaWords words(ranks);
    words.place(0x100000);
    const int last = ranks - 1;
    CHECK(words.base() == 0x100000);
    CHECK(words.sent(last) < words.put_status());
    CHECK(words.answer_source() < words.flag(0));
    CHECK(words.flag(last) < words.flag_source());
    CHECK(words.flag_source() < words.answer(0));
    CHECK(words.answer(last) < words.request(0));
    CHECK(words.request(last) + 32 <= words.base() + unsigned_of(words.size()));
    CHECK(words.size() == (ranks == 1000 ? 64_KiB : 4_KiB));  // 56 B a rank and two lines
    for (const std::uint64_t row : {words.put_status(), words.flag(0), words.flag_source(), words.answer(0)})
      CHECK(row % 64 == 0);
  }
}

}  // namespace memory_plan_test
