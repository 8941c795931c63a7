// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/box/box_machine.hpp"
#include "box/matrix.hpp"
#include "runner/runner.hpp"

namespace tsunagi::app {

/// Adds to each cell how far it moves when one assumed or fitted value at a time is at an end of its range. False:
/// Ctrl-C. Throws config::ConfigError.
bool add_intervals(const BoxMachine& machine, box::Matrix& m, const runner::Options& options);

}  // namespace tsunagi::app
