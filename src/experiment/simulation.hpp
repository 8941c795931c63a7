// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/runner.hpp"

namespace tsunagi::experiment {

/// `elaborate` in the shape that the runner calls: finds all that is wrong with a run before time 0.
runner::Simulate elaboration();

/// `simulate` in the shape that the runner calls.
runner::Simulate simulation(bool counters = false);

}  // namespace tsunagi::experiment
