// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cluster/observer.hpp"
#include "report/recorder.hpp"
#include "runner/runner.hpp"
#include "sim/simulation.hpp"

namespace tsunagi::experiment {

/// Builds and checks all of a run that can be before time 0; without a library, its machine. Once a process (SystemC).
/// Throws config::ConfigError for what `simulate` would refuse.
void elaborate(const RunConfig& run);

/// What is wrong with a scenario; empty: nothing.
using Refusal = std::function<std::string(const config::AnyConfig& scenario)>;
/// Builds machine and library of `run`, and hands over what checks scenarios on them one after the other, as
/// `elaborate` checks a run's own. Once a process (SystemC). Throws config::ConfigError for what is wrong with machine
/// or library.
void with_refusal(const RunConfig& run, const std::function<void(const Refusal&)>& f);

/// Elaborates the same, and hands its library over as long as it is there. Once a process (SystemC).
void with_library(const RunConfig& run, const std::function<void(const comm::Library&)>& f);

/// Elaborates the machine of `run`, runs its scenario and fills `recorder`. With the findings of the attempt before;
/// when it finds out something itself, what it recorded is worth nothing (net/foresight.hpp).
/// `observer`, if there is one, hears of all that happens. With `counters`, what each direction of each wire counted is
/// told, too.
/// Once a process (SystemC). Throws config::ConfigError for what is wrong with the
/// config (exit 2) and std::runtime_error when the simulation fails (exit 1).
runner::Counts simulate(const RunConfig& run, const std::string& findings, report::Recorder& recorder,
                        Observer* observer = nullptr, bool counters = false);
/// The same in a simulation in which nothing else has been built.
runner::Counts simulate(sim::Simulation& sim, const RunConfig& run, const std::string& findings,
                        report::Recorder& recorder, Observer* observer = nullptr, bool counters = false);

}  // namespace tsunagi::experiment
