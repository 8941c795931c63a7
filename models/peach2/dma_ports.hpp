// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "net/slot.hpp"
#include "units/address.hpp"
#include "units/bytes.hpp"

namespace tsunagi::peach2 {

/// What a DMA channel needs of the chip around it.
struct DmaPorts {
  /// A read request, ready at the delivery's schedule, to the host or to the chip's own memory.
  std::function<void(net::Delivery)> read;
  /// A write to an address of the shared window; the chip routes it like any other.
  std::function<void(net::Delivery)> write;
  /// The address lies in the chip's own region, so that no PCIe packet is built to read it.
  std::function<bool(Address)> is_own;
  /// Largest payload of a write.
  std::function<Bytes()> max_payload;
};

}  // namespace tsunagi::peach2
