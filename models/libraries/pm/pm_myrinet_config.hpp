// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "config/describe.hpp"
#include "models/libraries/pm/pm_config.hpp"

namespace tsunagi::libraries {

/// PM on cards whose firmware makes packets reliable.
struct PmMyrinetConfig : PmBuffersConfig {
  std::string core = "core0";
  std::string memory = "memory";
  std::string card = "lanai";
  std::int64_t post_cycles = 100;
  std::int64_t poll_cycles = 50;
};
void describe(PmMyrinetConfig& c, config::Describer& d);

}  // namespace tsunagi::libraries
