// SPDX-License-Identifier: Apache-2.0
#include "models/pcie/slots.hpp"

#include <fmt/format.h>

#include "config/error_at.hpp"
#include "units/parse.hpp"

namespace tsunagi::pcie {

const SlotConfig* slot_above(const net::Device& device) {
  const net::Port& port = device.ports().front();
  if (!port.connected()) return nullptr;
  const auto* above = dynamic_cast<const Slots*>(&port.channel().destination());
  return above == nullptr ? nullptr : above->slot_at(port.channel().destination_port());
}

void check_window(const net::Device& card, Bytes base, Bytes size, const char* what) {
  const SlotConfig* slot = slot_above(card);
  if (slot == nullptr || (slot->window_base == base && slot->window_size == size)) return;
  throw config::error_at(
      "/machine", fmt::format("{}: {} {} from {}, but {} of {} shows {} from {}", card.name(), what, to_string(size),
                              to_string(base), slot->name, card.ports().front().channel().destination().name(),
                              to_string(slot->window_size), to_string(slot->window_base)));
}

}  // namespace tsunagi::pcie
