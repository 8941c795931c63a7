// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/describe.hpp"
#include "units/address.hpp"

namespace tsunagi::pcie {

/// A PCIe slot of a root complex, or a downstream port of a switch: the window of addresses that belongs to what is
/// below it (BARs as the BIOS assigned them).
struct SlotConfig {
  std::string name;
  Bytes window_base;
  Bytes window_size;
};
void describe(SlotConfig& c, config::Describer& d);

/// The number of the slot that has an address; -1: none.
int slot_with(const std::vector<SlotConfig>& slots, Address a);
/// How far from an address on the answer to that is the same; the most that there is: for ever.
Bytes same_slot_for(const std::vector<SlotConfig>& slots, Address a);

/// Addresses that a port answers to, for messages.
struct Window {
  std::string name;
  Bytes base;
  Bytes size;
  /// The addresses of "slot0", 1 GiB from 256 GiB.
  std::string text() const;
  bool overlaps(const Window& o) const { return base < o.base + o.size && o.base < base + size; }
  bool holds(const Window& o) const { return base <= o.base && o.base + o.size <= base + size; }
};
inline Window window_of(const SlotConfig& s) { return {s.name, s.window_base, s.window_size}; }
/// Those of one device are whole pages, and have no address twice.
void check_windows(const std::vector<Window>& all, config::Describer& d);

/// Most addresses that anything here has, and the bound of the first one.
constexpr Bytes most_addresses(std::int64_t{1} << 48);

}  // namespace tsunagi::pcie
