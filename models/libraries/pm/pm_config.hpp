// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "config/describe.hpp"
#include "models/libraries/verbs/verbs_config.hpp"
#include "units/bytes.hpp"

namespace tsunagi::libraries {

/// What PM has on any network.
struct PmBuffersConfig {
  Bytes longest = 8_KiB;
  Bytes send_memory = 4_MiB;
  Bytes receive_memory = 8_MiB;
  std::int64_t buffer_cycles = 100;
  std::int64_t look_cycles = 50;
};
void describe(PmBuffersConfig& c, config::Describer& d);

/// Whether the driver changes the state of all queue pairs, or saves them, by one command or by one each.
enum class Commanded : std::uint8_t { range, each };

/// PM on a network with queue pairs.
struct PmInfiniBandConfig : VerbsNodeConfig, PmBuffersConfig {
  bool shared_receives = true;
  std::int64_t driver_cycles = 3000;
  Commanded commands = Commanded::range;
};
void describe(PmInfiniBandConfig& c, config::Describer& d);

}  // namespace tsunagi::libraries
