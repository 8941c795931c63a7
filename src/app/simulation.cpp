// SPDX-License-Identifier: Apache-2.0
#include "app/simulation.hpp"

#include "app/simulate.hpp"

namespace tsunagi::app {

runner::Simulate simulation() { return simulate; }

}  // namespace tsunagi::app
