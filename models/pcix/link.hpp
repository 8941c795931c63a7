// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/describe.hpp"
#include "models/pcie/framing.hpp"
#include "net/specs.hpp"

namespace tsunagi::pcix {

/// A slot's pins. PCI-X's transactions have what PCI Express inherited from them: the same commands, requester, tag and
/// byte count (its attribute phase), so that they are pcie::Tlp; what they weigh is clocks of the bus.
class Framing final : public pcie::PcieFraming {
 public:
  Framing() : PcieFraming({false, false}) {}
  flow::WireSize size(const flow::Packet& /*p*/, Bytes payload) const override {
    return {payload, Bytes::zero(), Bytes::zero()};
  }
  std::int32_t alike(const flow::Packet& p) const override { return p.count; }
};

/// From a device to the bus that it sits on, in no time (1 fs, so that what is asked for within an instant is never
/// there within it). No fields.
struct LinkConfig {};
void describe(LinkConfig& c, config::Describer& d);

net::WireSpec link_spec(const config::AnyConfig& c);

/// What takes no time takes this.
constexpr Time no_time = Time::from_fs(1);

}  // namespace tsunagi::pcix
