// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/describe.hpp"
#include "units/time.hpp"

namespace tsunagi::myrinet {

/// How a card's firmware makes packets reliable.
struct ReliableConfig {
  int window = 32;
  int acknowledge_each = 8;
  Time acknowledge_after = 20_us;
  int acknowledge_cycles = 100;
  int acknowledged_cycles = 100;
  Time retransmit_after = 5_ms;
  int retries = 16;
};
void describe(ReliableConfig& c, config::Describer& d);

}  // namespace tsunagi::myrinet
