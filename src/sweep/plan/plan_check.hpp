// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sweep/plan/base_run.hpp"
#include "sweep/plan/sweep_config.hpp"

namespace tsunagi::sweep {

/// What can be told of names, paths and lengths before any value is read: axes without values or of equal names, zips
/// of unequal lengths, paths that the run does not have, that are set twice (by the command line, too), or that overlap
/// a derived one. Throws config::ConfigError with all of it.
void check(const Sweep& sweep, const BaseRun& base);

}  // namespace tsunagi::sweep
