// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "scenarios/scenario.hpp"

namespace tsunagi::scenarios {

struct NeighboursConfig {
  std::vector<Bytes> sizes = {64_KiB};
  int messages = 16;
};
void describe(NeighboursConfig& c, config::Describer& d);

/// Every rank streams messages to the next rank and to the one before it, in turn, and receives from both; the last
/// rank's next is rank 0. One row a size: the bytes that all ranks sent, from the common start until all have arrived.
class Neighbours final : public Scenario {
 public:
  explicit Neighbours(NeighboursConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 2; }
  Bytes footprint(int /*ranks*/) const override;
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Communicator& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  NeighboursConfig config_;
  Time start_;
  comm::StartLine start_line_;
};

std::unique_ptr<Scenario> make_neighbours(const config::AnyConfig& c);

}  // namespace tsunagi::scenarios
