// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/libraries/pm/pm_config.hpp"
#include "models/libraries/pm/pm_network.hpp"

namespace tsunagi::libraries {

/// What a library of PM's (`pm`, `pm_ethernet`, `pm_myrinet`) says of its buffers. Throws config::ConfigError at
/// /library/pm if it is another one.
const PmBuffersConfig& pm_buffers(const config::AnyConfig& pm);

/// Its network on a machine. Throws config::ConfigError if the machine lacks what it needs.
std::unique_ptr<PmNetwork> make_pm_network(const config::AnyConfig& pm, Machine& m);

}  // namespace tsunagi::libraries
