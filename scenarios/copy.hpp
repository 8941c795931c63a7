// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scenarios/scenario.hpp"

namespace tsunagi::scenarios {

struct CopyConfig {
  std::string source;
  std::string target;
  std::vector<Bytes> sizes = {4_B};
  int iterations = 3;
  int warm_up = 0;
};
void describe(CopyConfig& c, config::Describer& d);

/// Rank 0 has bytes copied between two devices of its node. A row a size: the mean of what the library's own timer says
/// of a copy.
class Copy final : public Scenario {
 public:
  explicit Copy(CopyConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 1; }
  Bytes footprint(int /*ranks*/) const override { return Bytes::zero(); }
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Communicator& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  comm::DeviceCopy copy_of(Bytes size) const { return {{config_.source, {}}, {config_.target, {}}, size}; }
  CopyConfig config_;
};

std::unique_ptr<Scenario> make_copy(const config::AnyConfig& c);

}  // namespace tsunagi::scenarios
