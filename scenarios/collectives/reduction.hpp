// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "scenarios/collectives/measured_collective.hpp"

namespace tsunagi::scenarios {

/// All ranks' bytes are combined element by element, and one rank or all get the outcome.
struct ReductionConfig {
  enum class Result : std::uint8_t { reduce, allreduce };
  Result result = Result::allreduce;
  CollectiveConfig how;
};
void describe(ReductionConfig& c, config::Describer& d);

std::unique_ptr<Scenario> make_reduction(const config::AnyConfig& c);

}  // namespace tsunagi::scenarios
