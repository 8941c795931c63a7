// SPDX-License-Identifier: Apache-2.0
// The runs of a matrix, and what came of them.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "box/matrix.hpp"
#include "config/config.hpp"
#include "machine/machine_config.hpp"
#include "runner/runner.hpp"

namespace tsunagi::app {

/// One machine on which runs of a plan are measured.
struct BoxVariant {
  MachineConfig machine;
  std::vector<config::Override> cuda = {};   ///< what is changed of the library that copies
  std::vector<config::Override> verbs = {};  ///< the same of adapters'
  /// Of the server at an adapter's cable; none: it is as this one.
  std::optional<MachineConfig> other = {};
  nlohmann::ordered_json cable = {};  ///< in place of the one between both; null: as the run has it
};

/// A run of a plan on a variant.
struct BoxTask {
  std::size_t variant = 0;
  std::size_t run = 0;
};

/// What each task came to, in their order; equal runs are simulated once. Nothing: Ctrl-C. A config that cannot be read
/// is an outcome, too.
std::optional<std::vector<box::Observed>> observe(const std::vector<BoxVariant>& variants, const box::Plan& plan,
                                                  const std::vector<BoxTask>& tasks, runner::Options options);

}  // namespace tsunagi::app
