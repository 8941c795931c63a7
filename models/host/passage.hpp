// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/device.hpp"
#include "units/address.hpp"

namespace tsunagi::host {

/// A device that stands between cards and their root complex and passes on what they say: an I/O bus, its bridge, the
/// link from there.
class Passage {
 public:
  virtual ~Passage() = default;
  /// The port that leads to the root complex.
  virtual const net::Port& towards_host() const = 0;
  /// Where writes to an address leave that came by port `in`; null: nobody has it.
  virtual const net::Port* port_for(int in, Address address) const = 0;
};

}  // namespace tsunagi::host
