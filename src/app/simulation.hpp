// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/runner.hpp"

namespace tsunagi::app {

/// `simulate` in the shape that the runner calls.
runner::Simulate simulation();

}  // namespace tsunagi::app
