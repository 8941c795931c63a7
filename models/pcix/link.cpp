// SPDX-License-Identifier: Apache-2.0
#include "models/pcix/link.hpp"

#include <memory>

#include "models/pcix/timing.hpp"

namespace tsunagi::pcix {

void describe(LinkConfig& /*c*/, config::Describer& /*d*/) {}

net::WireSpec link_spec(const config::AnyConfig& /*c*/) {
  net::WireSpec w;
  w.protocol = "pcix";
  w.framing = std::make_shared<Framing>();
  w.rate = Rate::infinite();
  w.flight = no_time;
  w.max_payload = most_bytes;
  return w;
}

}  // namespace tsunagi::pcix
