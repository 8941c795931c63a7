// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/libraries/sr8000/combuf_node.hpp"

namespace tsunagi::libraries {

/// Of Hitachi's MPI (paper 002, 2.1 and 6).
struct HitachiMpiConfig : ComBufNodeConfig {
  bool rdma = true;
  Bytes eager_limit = 4_KiB;
  int slots = 4;
  int unexpected = 1024;
  Bytes chunk = 64_KiB;
  int long_receives = 4096;
  int transfers = 64;
  Time sendright = 50_us;
  std::int64_t send_cycles = 800;
  std::int64_t receive_cycles = 800;
  std::int64_t visit_cycles = 300;
};
void describe(HitachiMpiConfig& c, config::Describer& d);

}  // namespace tsunagi::libraries
