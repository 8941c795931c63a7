// SPDX-License-Identifier: Apache-2.0
// What a picture of a machine says of a run on it.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "draw/draw.hpp"
#include "runner/outcome.hpp"
#include "runner/run_config.hpp"

namespace tsunagi::experiment {

/// Elaborates the run; each of its rows is the device of a rank ("place"). Simulates nothing.
runner::Outcome placing(const RunConfig& run);
std::vector<std::string> places_in(const runner::Outcome& outcome);

/// Bytes that each sending port put on its wire, by its name: "node0.peach2.e".
using Carried = std::map<std::string, Bytes>;
Carried carried_in(const report::Rows& counters);

/// How much of what it can carry in `time` each wire of `graph` carried, by direction: from its end a, from its end b.
/// 0 of wires that are infinitely fast.
std::vector<std::pair<double, double>> direction_uses(const topo::Graph& graph, const Carried& carried, Time time);

/// The same of the busier directions, for a picture.
draw::WireUses wire_uses(const std::vector<std::pair<double, double>>& uses, Time time);

/// The same by the counters of the run's outcome.
draw::WireUses wire_uses(const topo::Graph& graph, const runner::Outcome& outcome);

}  // namespace tsunagi::experiment
