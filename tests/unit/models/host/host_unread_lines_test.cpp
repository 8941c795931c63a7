// SPDX-License-Identifier: Apache-2.0
#include "models/host/memory/unread_lines.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace host_unread_lines_test {

using namespace tsunagi;
using host::UnreadLines;

TEST_CASE("a line that was written is unread once") {
  UnreadLines u;
  u.written(0x1000, 65_B, 10_ns, 10_ns);
  CHECK(u.read(0x1000, 1_B, 10_ns) == 1);
  CHECK(u.read(0x103f, 2_B, 11_ns) == 1);  // the other one
  CHECK(u.read(0x1000, 128_B, 12_ns) == 0);
  u.written(0x1040, 1_B, 13_ns, 13_ns);
  CHECK(u.read(0x1000, 4_KiB, 13_ns) == 1);
}

TEST_CASE("a write counts from when it can be seen") {
  UnreadLines u;
  u.written(0x1000, 64_B, 10_ns, 5_ns);
  CHECK(u.read(0x1000, 64_B, 10_ns - 1_fs) == 0);
  CHECK(u.read(0x1000, 64_B, 10_ns) == 1);
}

TEST_CASE("who reads between lines leaves those around unread") {
  UnreadLines u;
  u.written(0, 640_B, 0_ns, 0_ns);
  u.written(320, 640_B, 0_ns, 0_ns);  // overlaps: lines 0 to 14
  CHECK(u.read(128, 64_B, 0_ns) == 1);
  CHECK(u.read(64, 0_B, 0_ns) == 0);
  CHECK(u.read(0, 4_KiB, 0_ns) == 14);
}

}  // namespace host_unread_lines_test
