// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/describe.hpp"
#include "net/specs.hpp"

namespace tsunagi::host {

/// An on-chip bus between core, root complex and memory: full duplex, credited, no link layer.
struct OnChipConfig {
  Rate bandwidth = Rate::bytes_per_second(83'200'000'000);
  Time flight = 1_ns;
  Bytes header = 0_B;
  Bytes max_payload_size = 4_KiB;
};
void describe(OnChipConfig& c, config::Describer& d);

net::WireSpec on_chip_spec(const config::AnyConfig& c);

}  // namespace tsunagi::host
