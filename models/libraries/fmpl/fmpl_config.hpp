// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/libraries/sr8000/combuf_node.hpp"

namespace tsunagi::libraries {

struct FmplConfig : ComBufNodeConfig {
  int slots = 1024;
  std::int64_t begin_cycles = 125;
  std::int64_t header_cycles = 25;
  std::int64_t post_cycles = 250;
  Bytes broadcast_buffer = 1_MiB;
  bool any_tag = false;
  bool any_source = false;
  Bytes send_buffer;
  Time timeout;
};
void describe(FmplConfig& c, config::Describer& d);

}  // namespace tsunagi::libraries
