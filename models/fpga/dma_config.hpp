// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/describe.hpp"

namespace tsunagi::fpga {

/// Whose descriptors go first when both host and kernel have one for the same data mover.
enum class First : std::uint8_t { host, kernel };

struct DescriptorControllerConfig {
  int hand_over_cycles = 4;
  int host_fifo = 128;
  int kernel_fifo = 128;
  int crossing_cycles = 3;
  First first = First::host;
};
void describe(DescriptorControllerConfig& c, config::Describer& d);

struct ReadMoverConfig {
  int start_cycles = 4;
  int request_cycles = 2;
  Bytes max_read_request = 512_B;
  int tags = 16;
  int status_cycles = 2;
};
void describe(ReadMoverConfig& c, config::Describer& d);

struct WriteMoverConfig {
  int start_cycles = 10;
  int turnaround_cycles = 2;
  Bytes burst = 512_B;
  int burst_gap = 1;
  Bytes buffer = 14_KiB;
  int status_cycles = 2;
};
void describe(WriteMoverConfig& c, config::Describer& d);

}  // namespace tsunagi::fpga
