// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <vector>

#include "app/box/box_machine.hpp"
#include "box/causes.hpp"
#include "runner/runner.hpp"
#include "topo/graph.hpp"

namespace tsunagi::app {

/// What the file of --compare says; nothing without one. Throws config::ConfigError.
std::vector<box::Measured> measured_values(const boost::program_options::variables_map& values, const box::Plan& plan);

/// Sets measured values beside a matrix, and runs cells that are low again with each cause. Nothing: Ctrl-C.
std::optional<std::vector<box::Comparison>> compare(const BoxMachine& machine, const topo::Graph& graph,
                                                    const box::Matrix& m, const std::vector<box::Measured>& measured,
                                                    double tolerance, const runner::Options& options);

}  // namespace tsunagi::app
