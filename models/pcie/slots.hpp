// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/pcie/slot.hpp"
#include "net/device.hpp"

namespace tsunagi::pcie {

/// A device with slots: a root complex, a switch.
class Slots {
 public:
  virtual ~Slots() = default;
  /// The slot whose port that is; null: it is none's.
  virtual const SlotConfig* slot_at(int port) const = 0;
};

/// The slot that a device is in by its first port; null: that leads to nothing that has slots.
const SlotConfig* slot_above(const net::Device& device);

/// Throws config::ConfigError if the card is in a slot that shows another window than its own. `what` begins the
/// message: "its window is".
void check_window(const net::Device& card, Bytes base, Bytes size, const char* what = "its window is");

}  // namespace tsunagi::pcie
