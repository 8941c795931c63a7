// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/describe.hpp"

namespace tsunagi::peach2 {

struct DmaConfig {
  int channels = 4;
  int step_cycles = 20;
  int descriptor_cycles = 16;
  int prefetch = 2;
  int tags = 4;
  Bytes max_read_request = 4_KiB;
  Bytes buffer = 16_KiB;

  /// Tag numbers of a channel: one for each read of data under way, and one for a descriptor.
  int tag_numbers() const { return tags + 1; }
};
void describe(DmaConfig& c, config::Describer& d);

}  // namespace tsunagi::peach2
