// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "models/host/memory/extents.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace host_extents_test {

using namespace tsunagi;
using host::Extent;

namespace {

Extent extent(std::uint64_t address, Bytes n, std::uint32_t origin, std::uint64_t offset, Time when) {
  return {address, n, origin, offset, 0, when};
}

std::string copied(const std::vector<Extent>& written, std::uint64_t from, Bytes n) {
  std::string text;
  for (const Extent& e : host::copied(written, 1000, from, n, 50_ns))
    text += fmt::format("{}+{} {}:{} ", e.address, e.length.count(), e.origin, e.origin_offset);
  return text;
}

}  // namespace

TEST_CASE("a copy keeps the origin of what it copies") {
  CHECK(copied({extent(100, 64_B, 7, 32, 1_ns)}, 110, 20_B) == "1000+20 7:42 ");
}

TEST_CASE("a copy of bytes that nobody wrote has no origin") {
  CHECK(copied({}, 100, 8_B) == "1000+8 0:0 ");
  CHECK(copied({extent(104, 2_B, 7, 0, 1_ns)}, 100, 8_B) == "1000+4 0:0 1004+2 7:0 1006+2 0:0 ");
}

TEST_CASE("of writes to the same bytes the last one counts and none to come") {
  CHECK(copied({extent(100, 8_B, 2, 0, 20_ns), extent(102, 2_B, 1, 0, 10_ns)}, 100, 8_B) == "1000+8 2:0 ");
  CHECK(copied({extent(100, 8_B, 1, 0, 10_ns), extent(102, 2_B, 2, 5, 20_ns)}, 100, 8_B) ==
        "1000+2 1:0 1002+2 2:5 1004+4 1:4 ");
  CHECK(copied({extent(100, 8_B, 1, 0, 10_ns), extent(100, 8_B, 2, 0, 10_ns)}, 100, 8_B) == "1000+8 2:0 ");
  CHECK(copied({extent(100, 8_B, 1, 0, 50_ns), extent(100, 8_B, 2, 0, 51_ns)}, 100, 8_B) == "1000+8 1:0 ");
}

TEST_CASE("writes that follow each other stay pieces") {
  CHECK(copied({extent(100, 4_B, 1, 0, 10_ns), extent(104, 4_B, 1, 4, 10_ns), extent(90, 12_B, 3, 0, 20_ns)}, 100,
               8_B) == "1000+2 3:10 1002+2 1:2 1004+4 1:4 ");
}

}  // namespace host_extents_test
