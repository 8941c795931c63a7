// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/runner.hpp"

namespace tsunagi::experiment {

/// Simulates a run and reports, as text or as JSON, where the time of its last message went and what the `links`
/// busiest wires carried meanwhile.
runner::Simulate explaining(int links, bool json);

}  // namespace tsunagi::experiment
