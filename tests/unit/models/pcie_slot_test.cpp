// SPDX-License-Identifier: Apache-2.0
// Windows of slots, and the ports that requests remember for their completions.
#include "models/pcie/slot.hpp"
#include "models/pcie/way_back.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace pcie_slot_test {

using namespace tsunagi;
using namespace tsunagi::pcie;

TEST_CASE("an address belongs to the slot whose window has it, from its first to its last byte") {
  const std::vector<SlotConfig> slots{{"b", 8_GiB, 1_GiB}, {"a", 4_GiB, 4_KiB}};
  const auto at = [&](Bytes a) { return slot_with(slots, Address::at(a)); };
  CHECK(at(4_GiB - 1_B) == -1);
  CHECK(at(4_GiB) == 1);
  CHECK(at(4_GiB + 4_KiB - 1_B) == 1);
  CHECK(at(4_GiB + 4_KiB) == -1);
  CHECK(at(8_GiB) == 0);
  CHECK(at(9_GiB) == -1);
  CHECK(slot_with(slots, Address(~std::uint64_t{0})) == -1);
}

TEST_CASE("what belongs to one slot, or to none, goes on to the next window's edge") {
  const std::vector<SlotConfig> slots{{"b", 8_GiB, 1_GiB}, {"c", 9_GiB, 1_GiB}, {"a", 4_GiB, 4_KiB}};
  const auto from = [&](Bytes a) { return same_slot_for(slots, Address::at(a)); };
  CHECK(from(0_B) == 4_GiB);
  CHECK(from(4_GiB) == 4_KiB);
  CHECK(from(4_GiB + 4_KiB) == 4_GiB - 4_KiB);
  CHECK(from(9_GiB - 1_B) == 1_B);  // whose neighbour is another slot
  CHECK(from(9_GiB) == 1_GiB);
  CHECK(from(10_GiB) > 1024_GiB * 1024);
}

TEST_CASE("ports come off a way back in the opposite order, whatever bases they were pushed with") {
  const std::pair<int, int> ports[] = {{0, 5}, {4, 5}, {127, 128}, {0, 2}, {1, 2}, {126, 127}};
  for (const std::uint32_t before : {0u, 1u, 6u}) {
    std::uint32_t way = before;
    for (const auto& [port, base] : ports) push_port(way, port, base);
    for (std::size_t i = std::size(ports); i-- > 0;) CHECK(pop_port(way, ports[i].second) == ports[i].first);
    CHECK(way == before);
  }
}

TEST_CASE("a way back that is too long is told and not cut") {
  std::uint32_t way = 0xffffffffu / 128;
  push_port(way, 127, 128);
  CHECK(way == 0xffffffffu);
  CHECK_THROWS_WITH(push_port(way, 0, 2), "a read crosses too many root complexes and switches");
}

}  // namespace pcie_slot_test
