// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <type_traits>

#include "support/catch.hpp"
#include "support/print.hpp"
#include "units/address.hpp"

namespace units_address_test {

using namespace tsunagi;

// Neither a number nor an extent is taken for a place by mistake.
static_assert(!std::is_convertible_v<std::uint64_t, Address> && !std::is_convertible_v<Address, std::uint64_t>);
static_assert(!std::is_convertible_v<Bytes, Address> && !std::is_convertible_v<Address, Bytes>);

TEST_CASE("places and distances add up") {
  const Address a(0x1000);
  CHECK(a + 16_B == Address(0x1010));
  CHECK(a - 16_B == Address(0xff0));
  CHECK((a + 4_KiB) - a == 4_KiB);
  CHECK(a - (a + 1_B) == Bytes(-1));
  CHECK(Address::at(512_GiB).value() == std::uint64_t{512} << 30);
  Address b = a;
  b += 8_B;
  CHECK(b > a);
  CHECK(b >= b);
  CHECK(a < b);
  CHECK(a <= a);
  CHECK(a != b);
}

TEST_CASE("a range has its first byte and not the one behind its last") {
  const Address base(0x4000);
  CHECK(lies_in(base, base, 1_B));
  CHECK_FALSE(lies_in(base, base, 0_B));
  CHECK(lies_in(Address(0x4fff), base, 4_KiB));
  CHECK_FALSE(lies_in(Address(0x5000), base, 4_KiB));
  CHECK_FALSE(lies_in(Address(0x3fff), base, 4_KiB));
  CHECK_FALSE(lies_in(Address(0), base, 4_KiB));
  CHECK_FALSE(lies_in(Address(~std::uint64_t{0}), base, 4_KiB));
}

TEST_CASE("aligned addresses are the nearest multiples") {
  for (const std::uint64_t value : {0x0, 0x1, 0x3f, 0x40, 0x41, 0xfff, 0x1000, 0x12345})
    for (const std::int64_t alignment : {1, 64, 4096}) {
      const auto step = static_cast<std::uint64_t>(alignment);
      const Address a(value);
      CHECK(aligned_down(a, Bytes(alignment)).value() == value / step * step);
      CHECK(aligned_up(a, Bytes(alignment)).value() == (value + step - 1) / step * step);
      CHECK(is_aligned(a, Bytes(alignment)) == (value % step == 0));
    }
}

TEST_CASE("addresses are written in hexadecimal") {
  CHECK(to_string(Address()) == "0x0");
  CHECK(to_string(Address(0xdeadbeef)) == "0xdeadbeef");
  CHECK(to_string(Address(~std::uint64_t{0})) == "0xffffffffffffffff");
}

}  // namespace units_address_test
