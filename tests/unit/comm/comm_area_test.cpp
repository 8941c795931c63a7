// SPDX-License-Identifier: Apache-2.0
// Areas in blocks, and what a ledger knows of them.
#include <tuple>
#include <vector>

#include "comm/messages/carried.hpp"
#include "comm/world/ledger.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace comm_area_test {

using namespace tsunagi;
using comm::Buffer;
using comm::Ledger;

namespace {

Buffer area(Bytes offset, Bytes size, Bytes block = {}, Bytes every = {}) {
  return {offset, size, {}, {}, {}, block, every};
}

using Stretches = std::vector<std::pair<std::int64_t, std::int64_t>>;

Stretches stretches(const Buffer& b) {
  Stretches out;
  for_each_stretch(b, [&](const comm::Stretch& s) { out.emplace_back(s.offset.count(), s.size.count()); });
  return out;
}

}  // namespace

TEST_CASE("an area's blocks lie so far apart as it says, the last one may be shorter") {
  CHECK(stretches(area(100_B, 30_B)) == Stretches{{100, 30}});
  CHECK(stretches(area(100_B, 30_B, 10_B, 16_B)) == Stretches{{100, 10}, {116, 10}, {132, 10}});
  CHECK(stretches(area(100_B, 25_B, 10_B, 16_B)) == Stretches{{100, 10}, {116, 10}, {132, 5}});
  CHECK(stretches(area(100_B, 0_B, 10_B, 16_B)).empty());
  CHECK(comm::extent(area(100_B, 30_B)) == 30_B);
  CHECK(comm::extent(area(100_B, 30_B, 10_B, 16_B)) == 42_B);
  CHECK(comm::extent(area(100_B, 25_B, 10_B, 16_B)) == 37_B);
  CHECK(comm::extent(area(100_B, 0_B, 10_B, 16_B)) == 0_B);
}

TEST_CASE("an area of one block, or whose blocks touch, is contiguous") {
  CHECK(is_contiguous(area(0_B, 30_B)));
  CHECK(is_contiguous(area(0_B, 30_B, 10_B, 10_B)));
  CHECK(is_contiguous(area(0_B, 10_B, 10_B, 16_B)));
  CHECK(!is_contiguous(area(0_B, 11_B, 10_B, 16_B)));
  CHECK(stretches(area(7_B, 30_B, 10_B, 10_B)) == Stretches{{7, 30}});
}

TEST_CASE("two areas of different shapes go together piece by piece") {
  std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>> all;
  for_each_stretch(area(1000_B, 24_B, 8_B, 32_B), area(0_B, 24_B, 12_B, 100_B),
                   [&](Bytes to, Bytes from, Bytes n) { all.emplace_back(to.count(), from.count(), n.count()); });
  CHECK(all == decltype(all){{1000, 0, 8}, {1032, 8, 4}, {1036, 100, 4}, {1064, 104, 8}});
}

TEST_CASE("a ledger has the bytes of blocks in a row, and nothing of what lies between") {
  Ledger l;
  l.fill(0, area(0_B, 100_B), "before");
  const Buffer blocks = area(10_B, 30_B, 10_B, 16_B);
  l.fill(0, blocks, "new");
  l.expect(0, blocks, "new", 0_B, "test");
  l.expect(0, area(26_B, 10_B), "new", 10_B, "test");
  l.expect(0, area(20_B, 6_B), "before", 20_B, "test");
  l.expect(0, area(52_B, 48_B), "before", 52_B, "test");
  CHECK_THROWS_WITH(l.expect(0, area(10_B, 30_B, 10_B, 15_B), "new", 0_B, "test"),
                    Catch::Contains("but has new[0, 10)"));
}

TEST_CASE("a message carries blocks to blocks of another shape") {
  Ledger l;
  comm::Carried carried;
  carried.set_ledger(&l);
  comm::Envelope e;
  e.size = 30_B;
  const Buffer from = area(0_B, 30_B, 10_B, 40_B);
  const Buffer to = area(500_B, 60_B, 6_B, 64_B);
  l.fill(0, from, "sent");
  carried.leaves(e, 1, from);
  carried.arrives(e, 1, to);
  l.expect(1, area(500_B, 30_B, 6_B, 64_B), "sent", 0_B, "test");
  l.expect(1, area(500_B + 64_B * 4, 6_B), "sent", 24_B, "test");
  CHECK(l.text(l.read(1, area(500_B + 64_B * 5, 6_B))) == "nothing known[0, 6)");
}

}  // namespace comm_area_test
