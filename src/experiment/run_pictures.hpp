// SPDX-License-Identifier: Apache-2.0
// What a picture of a machine says of a run on it.
#pragma once

#include "draw/draw.hpp"
#include "runner/outcome.hpp"
#include "runner/run_config.hpp"

namespace tsunagi::experiment {

/// Elaborates the run; each of its rows is the device of a rank ("place"). Simulates nothing.
runner::Outcome placing(const RunConfig& run);
std::vector<std::string> places_in(const runner::Outcome& outcome);

/// How much of what it can carry each wire of `graph` carried, by the counters of the run's outcome.
draw::WireUses wire_uses(const topo::Graph& graph, const runner::Outcome& outcome);

}  // namespace tsunagi::experiment
