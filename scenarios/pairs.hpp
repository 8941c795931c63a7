// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "scenarios/scenario.hpp"

namespace tsunagi::scenarios {

struct PairsConfig {
  Bytes size = 8_B;
  std::string method;
  int iterations = 3;
  int warm_up = 1;
  bool all = true;
};
void describe(PairsConfig& c, config::Describer& d);

/// One pair of ranks after the other sends a message to and fro: how latency grows with distance. A row a pair: cables
/// that the messages crossed, and the one-way latency (half a round trip).
class Pairs final : public Scenario {
 public:
  explicit Pairs(PairsConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 2; }
  Bytes footprint(int /*ranks*/) const override { return config_.size; }
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Communicator& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  comm::Buffer buffer() const { return {Bytes::zero(), config_.size, {}, config_.method}; }
  void one_pair(comm::Rank& rank, report::Recorder& r, int a, int b) const;
  PairsConfig config_;
  comm::StartLine line_;
};

std::unique_ptr<Scenario> make_pairs(const config::AnyConfig& c);

}  // namespace tsunagi::scenarios
