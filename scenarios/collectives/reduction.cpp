// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>

#include "scenarios/collectives/measured_collective.hpp"

namespace tsunagi::scenarios {

namespace {

/// All ranks' bytes are combined element by element, and one rank or all get the outcome.
struct ReductionConfig {
  enum class Result : std::uint8_t { reduce, allreduce };
  Result result = Result::allreduce;
  CollectiveConfig how;
};

using Result = ReductionConfig::Result;

void describe(ReductionConfig& c, config::Describer& d) {
  d.choice("result", c.result,
           {{"reduce", static_cast<std::int64_t>(Result::reduce), "the root has it"},
            {"allreduce", static_cast<std::int64_t>(Result::allreduce), "all have it"}},
           "who has the outcome");
  describe_sizes(c.how, d, "bytes that every rank has, a row each");
  describe_root(c.how, d);
  describe_iterations(c.how, d);
  d.require(c.result == Result::reduce || (c.how.root == 0 && !c.how.rotate),
            "\"root\" and \"rotate\" are of \"reduce\" alone");
}

std::unique_ptr<Scenario> make_reduction(const config::AnyConfig& c) {
  const auto& reduction = c.as<ReductionConfig>();
  return std::make_unique<MeasuredCollective>(
      reduction.result == Result::reduce ? comm::Collective::reduce : comm::Collective::allreduce, reduction.how);
}

}  // namespace

ScenarioKind reduction_scenario() {
  return {config::kind<ReductionConfig>("reduction", "all ranks' bytes combined: time an algorithm and size"),
          make_reduction};
}

}  // namespace tsunagi::scenarios
