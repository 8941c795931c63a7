// SPDX-License-Identifier: Apache-2.0
#include "models/pcie/slot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "units/parse.hpp"

namespace tsunagi::pcie {

void describe(SlotConfig& c, config::Describer& d) {
  using namespace config;
  d.field("name", c.name, "name of the port", required);
  d.field("window_base", c.window_base, "first address of the window of what is below", required,
          within(0_B, most_addresses));
  d.field("window_size", c.window_size, "bytes of that window", required, within(4_KiB, most_addresses));
}

int slot_with(const std::vector<SlotConfig>& slots, Address a) {
  for (std::size_t i = 0; i < slots.size(); ++i)
    if (lies_in(a, Address::at(slots[i].window_base), slots[i].window_size)) return static_cast<int>(i);
  return -1;
}

Bytes same_slot_for(const std::vector<SlotConfig>& slots, Address a) {
  if (const int in = slot_with(slots, a); in >= 0) {
    const SlotConfig& s = slots[static_cast<std::size_t>(in)];
    return Address::at(s.window_base) + s.window_size - a;
  }
  Bytes least(std::int64_t{1} << 62);
  for (const SlotConfig& s : slots)
    if (const Address base = Address::at(s.window_base); base > a) least = std::min(least, base - a);
  return least;
}

std::string Window::text() const {
  return fmt::format("the addresses of \"{}\", {} from {}", name, to_string(size), to_string(base));
}

void check_windows(const std::vector<Window>& all, config::Describer& d) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_paged(all[i].base) || !is_paged(all[i].size))
      d.require(false, all[i].text() + ", are no whole pages of 4 KiB");
    for (std::size_t k = 0; k < i; ++k)
      if (all[i].overlaps(all[k])) d.require(false, all[k].text() + ", overlap " + all[i].text());
  }
}

}  // namespace tsunagi::pcie
