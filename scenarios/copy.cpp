// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "config/error_at.hpp"
#include "scenarios/scenario.hpp"
#include "units/checked.hpp"

namespace tsunagi::scenarios {

namespace {

struct CopyConfig {
  std::string source;
  std::string target;
  std::vector<Bytes> sizes = {4_B};
  int iterations = 3;
  int warm_up = 0;
};

void describe(CopyConfig& c, config::Describer& d) {
  using namespace config;
  d.field("source", c.source, "memory that is copied from, as the library names places", required);
  d.field("target", c.target, "memory that is copied to", required);
  d.field("sizes", c.sizes, "bytes of a copy, a row each", within(1_B, largest_given));
  d.field("iterations", c.iterations, "copies a row, one after the other", within(1, 1'000'000));
  d.field("warm_up", c.warm_up, "copies before those that are measured, of each size", within(0, 1'000'000));
  d.require(!c.sizes.empty(), "\"sizes\" is empty");
}

/// Rank 0 has bytes copied between two devices of its node. A row a size: the mean of what the library's own timer says
/// of a copy.
class Copy final : public Scenario {
 public:
  explicit Copy(CopyConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 1; }
  Bytes footprint(int /*ranks*/) const override { return Bytes::zero(); }
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Library& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  comm::DeviceCopy copy_of(Bytes size) const { return {{config_.source, {}}, {config_.target, {}}, size}; }
  CopyConfig config_;
};

void Copy::fit(comm::World& w) {
  const comm::DeviceCopies* copies = w.library().facet<comm::DeviceCopies>();
  if (copies == nullptr)
    throw config::error_at("/library",
                           "the library copies nothing between devices (fpga_dma, opencl_cuda, gdrcopy and cuda do)");
  for (const Bytes size : config_.sizes) copies->check_copy(0, copy_of(size));
}

void Copy::declare(report::Recorder& r, const comm::Library& c) const {
  r.rate("bandwidth", "size", "time");
  const Bytes most = *std::max_element(config_.sizes.begin(), config_.sizes.end());
  for (const comm::Ceiling& ceiling : c.facet<comm::DeviceCopies>()->copy_ceilings(0, copy_of(most)))
    r.ceiling({{}, ceiling.name, ceiling.rate, ceiling.burst, false});
}

void Copy::program(comm::Rank& rank, report::Recorder& r) {
  if (rank.id() != 0) return;
  for (const Bytes size : config_.sizes) {
    Time total;
    for (int i = 0; i < config_.warm_up; ++i) rank.copy(copy_of(size));
    r.begin_account();
    for (int i = 0; i < config_.iterations; ++i) total += rank.copy(copy_of(size));
    r.row().bytes("size", size).time("time", Time::from_fs(total.fs() / config_.iterations));
  }
}

}  // namespace

ScenarioKind copy_scenario() {
  return scenario<Copy, CopyConfig>("copy", "copies between two devices of a node: time and bandwidth a size");
}

}  // namespace tsunagi::scenarios
