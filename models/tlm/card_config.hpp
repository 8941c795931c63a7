// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/describe.hpp"
#include "models/pcie/buffers.hpp"

namespace tsunagi::card {

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
