// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "models/fpga/descriptor.hpp"
#include "net/device.hpp"
#include "net/wait.hpp"

namespace tsunagi::fpga {

using net::Cause;
using net::Wait;

/// What a data mover needs of the card around it.
struct MoverPorts {
  /// To PCIe: the read mover's requests, the write mover's posted writes.
  std::function<void(net::Delivery)> send;
  /// A descriptor has been done; its completion signal comes with `signal`.
  std::function<void(const Descriptor&, Cause signal)> done;
  /// Another descriptor can be taken from then on.
  std::function<void(Time)> free;
};

/// Moves the bytes of one descriptor after the other, which end in that order. While one is under way it takes the next
/// one: when the last it took has been loaded and the one before has made all its accesses.
class DataMover {
 public:
  virtual ~DataMover() = default;
  /// Takes a descriptor that has been checked and written to it by `by`. Only when it is free.
  virtual void take(const Descriptor& d, Cause by) = 0;
};

/// Cycles that a TLP with `n` bytes of data takes on a path of `width` bytes a cycle: header and data in whole words.
inline std::int64_t beats(const net::Channel& link, const flow::Packet& p, Bytes n, Bytes width) {
  return units_of(link.wire().framing->size(p, n).header + n, width);
}

}  // namespace tsunagi::fpga
