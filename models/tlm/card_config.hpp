// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/describe.hpp"
#include "models/pcie/buffers.hpp"

namespace tsunagi::card {

/// Defaults are those of a card that says nothing else: 32 tags (5 bits, Base Specification 2.2.6.2), read requests of
/// 512 B (7.8.4); `queue` and `target_threads` are assumed, any card may have others.
struct TlmCardConfig {
  Bytes bar_base;
  Bytes bar_size = 1_MiB;
  int queue = 32;
  int tags = 32;
  Bytes max_read_request = 512_B;
  int target_threads = 8;
  Time port_latency = 0_ns;
  pcie::BufferConfig buffers;
};
void describe(TlmCardConfig& c, config::Describer& d);

}  // namespace tsunagi::card
