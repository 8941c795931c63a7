// SPDX-License-Identifier: Apache-2.0
// The scenarios. To add one: write scenarios/foo.cpp, which ends with its entry, then two lines here.
#include <stdexcept>

#include "scenarios/scenario.hpp"

namespace tsunagi::scenarios {

ScenarioKind ping_pong_scenario();
ScenarioKind neighbours_scenario();
ScenarioKind pairs_scenario();
ScenarioKind put_scenario();
ScenarioKind prepared_puts_scenario();
ScenarioKind get_scenario();
ScenarioKind copy_scenario();
ScenarioKind copies_scenario();
ScenarioKind pcie_bench_scenario();
ScenarioKind perftest_scenario();
ScenarioKind pmtest_scenario();
ScenarioKind receive_buffers_scenario();
ScenarioKind checkpoint_scenario();
ScenarioKind all_to_all_scenario();
ScenarioKind broadcast_scenario();
ScenarioKind reduction_scenario();
ScenarioKind barrier_scenario();
ScenarioKind halo_exchange_scenario();
ScenarioKind cg_halo_scenario();
ScenarioKind himeno_scenario();
ScenarioKind npb_is_scenario();
ScenarioKind npb_ft_scenario();
ScenarioKind osu_scenario();
ScenarioKind nccl_tests_scenario();
ScenarioKind posted_receives_scenario();
ScenarioKind random_pairs_scenario();
ScenarioKind stream_scenario();
ScenarioKind traffic_scenario();

const std::vector<ScenarioKind>& catalog() {
  static const std::vector<ScenarioKind> all = {
      ping_pong_scenario(),
      neighbours_scenario(),
      pairs_scenario(),
      put_scenario(),
      prepared_puts_scenario(),
      get_scenario(),
      copy_scenario(),
      copies_scenario(),
      pcie_bench_scenario(),
      perftest_scenario(),
      pmtest_scenario(),
      receive_buffers_scenario(),
      checkpoint_scenario(),
      all_to_all_scenario(),
      broadcast_scenario(),
      reduction_scenario(),
      barrier_scenario(),
      halo_exchange_scenario(),
      cg_halo_scenario(),
      himeno_scenario(),
      npb_is_scenario(),
      npb_ft_scenario(),
      osu_scenario(),
      nccl_tests_scenario(),
      posted_receives_scenario(),
      random_pairs_scenario(),
      stream_scenario(),
      traffic_scenario(),
  };
  return all;
}

std::unique_ptr<Scenario> build(const config::AnyConfig& c) {
  for (const ScenarioKind& s : catalog())
    if (s.kind.name == c.kind()) return s.build(c);
  throw std::logic_error("scenario kind without a builder: " + c.kind());
}

}  // namespace tsunagi::scenarios
