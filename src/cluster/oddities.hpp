// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "config/message.hpp"
#include "runner/run_config.hpp"

namespace tsunagi {

/// What is odd about a run's library on its machine, but works: warnings at the run's pointers. Of a run that is wrong
/// nothing: who builds it says so.
std::vector<config::Message> oddities(const RunConfig& run);

}  // namespace tsunagi
