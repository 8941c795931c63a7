// SPDX-License-Identifier: Apache-2.0
// The shared address space of a TCA sub-cluster (PEACH2 paper, 3.4).
#include "models/peach2/address_map.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace peach2_address_map_test {

using namespace tsunagi;
using peach2::AddressMap;
using peach2::Region;
using peach2::RouteRegister;

namespace {
constexpr std::uint64_t GiB = std::uint64_t{1} << 30;
}

TEST_CASE("the window is divided among nodes, a node's share among its regions") {
  const AddressMap m(512_GiB, 512_GiB, 16);
  CHECK(m.share() == 32_GiB);  // paper: 512 GB for 16 nodes
  CHECK(m.region_size() == 8_GiB);
  CHECK(m.address(0, Region::host) == Address(512 * GiB));
  CHECK(m.address(3, Region::gpu1, 5) == Address((512 + 3 * 32 + 2 * 8) * GiB + 5));
}

TEST_CASE("every address of the window says node, region and offset") {
  const AddressMap m(512_GiB, 512_GiB, 16);
  for (int node = 0; node < 16; ++node)
    for (const Region r : {Region::host, Region::gpu0, Region::gpu1, Region::chip})
      for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{4097}, 8 * GiB - 1}) {
        const Address a = m.address(node, r, offset);
        REQUIRE(m.node_of(a) == node);
        REQUIRE(m.region_of(a) == r);
        REQUIRE(m.offset_in_region(a) == offset);
      }
}

TEST_CASE("addresses outside the window belong to nobody") {
  const AddressMap m(512_GiB, 512_GiB, 2);
  CHECK(!m.node_of(Address(0)));
  CHECK(!m.node_of(Address(512 * GiB - 1)));
  CHECK(m.node_of(Address(512 * GiB)) == 0);
  CHECK(m.node_of(Address(1024 * GiB - 1)) == 1);
  CHECK(!m.node_of(Address(1024 * GiB)));
}

TEST_CASE("shares are powers of two, those that no node has belong to nobody") {
  const AddressMap m(512_GiB, 512_GiB, 3);
  CHECK(m.share() == 128_GiB);
  CHECK(m.node_of(Address((512 + 3 * 128) * GiB - 1)) == 2);
  CHECK(!m.node_of(Address((512 + 3 * 128) * GiB)));
}

TEST_CASE("a route register compares masked upper bits with its range") {
  const AddressMap m(512_GiB, 512_GiB, 16);
  const std::uint64_t mask = ~(static_cast<std::uint64_t>(m.share().count()) - 1);
  const RouteRegister east{mask, m.address(1, Region::host).value(), m.address(5, Region::host).value(), 1};
  CHECK(!east.matches(m.address(0, Region::chip, 8 * GiB - 1)));
  CHECK(east.matches(m.address(1, Region::host, 0)));
  CHECK(east.matches(m.address(5, Region::chip, 8 * GiB - 1)));
  CHECK(!east.matches(m.address(6, Region::host, 0)));
}

TEST_CASE("the first register that matches decides") {
  const std::vector<RouteRegister> registers = {{~0xffULL, 0x100, 0x200, 1}, {~0xffULL, 0x200, 0x300, 2}};
  CHECK(peach2::route(registers, Address(0x2ff)) == 1);
  CHECK(peach2::route(registers, Address(0x300)) == 2);
  CHECK(!peach2::route(registers, Address(0x400)));
  CHECK(!peach2::route({}, Address(0x100)));
}

}  // namespace peach2_address_map_test
