// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/describe.hpp"

namespace tsunagi::gpu {

struct CopyEngineConfig {
  int count = 2;
  Frequency clock{706'000'000};
  int fetch_cycles = 40;
  int start_cycles = 100;
  int release_cycles = 20;
  Bytes width = 32_B;
  bool align_writes = false;
  Bytes write_size = 4_KiB;
  bool relaxed_ordering = false;
  Bytes max_read_request = 4_KiB;
  int tags = 8;
  int tag_bits = 10;  // of all engines' reads together
  Bytes buffer = 16_KiB;
};
void describe(CopyEngineConfig& c, config::Describer& d);

}  // namespace tsunagi::gpu
