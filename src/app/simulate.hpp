// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "config/describe.hpp"
#include "report/recorder.hpp"
#include "runner/run_config.hpp"

namespace tsunagi {

/// What the simulator itself counted in one run.
struct SimulationCost {
  std::uint64_t wakeups = 0;      ///< callbacks dispatched by src/sim, timed and delta
  std::uint64_t packet_hops = 0;  ///< packets that crossed a wire, a train counts each
  Time simulated;                 ///< simulated time at the end
};

/// Elaborates the machine of `run`, runs its scenario and fills `recorder`.
/// Once a process (SystemC). Throws config::ConfigError for what is wrong with the
/// config (exit 2) and std::runtime_error when the simulation fails (exit 1).
SimulationCost simulate(const RunConfig& run, report::Recorder& recorder);

}  // namespace tsunagi
