// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/error_at.hpp"
#include "models/infiniband/link.hpp"
#include "net/device.hpp"

namespace tsunagi::infiniband {

/// Throws config::ConfigError if a port of `d` does not take the wire that is connected to it.
inline void check_ports(const net::Device& d, const PortLimits& limits) {
  for (const net::Port& p : d.ports()) {
    if (!p.connected()) continue;
    if (const std::string why = refusal(limits, p.channel().wire()); !why.empty())
      throw config::error_at("/machine", d.name() + ": " + p.name() + " " + why);
  }
}

}  // namespace tsunagi::infiniband
