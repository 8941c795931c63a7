// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scenarios/scenario.hpp"

namespace tsunagi::scenarios {

struct PutConfig {
  int peer = 0;
  std::string source;
  std::string target;
  std::vector<std::string> methods;
  std::vector<Bytes> sizes = {4_KiB};
  std::vector<std::int64_t> counts = {1};
  Bytes block;
  Bytes every;
  int iterations = 5;
};
void describe(PutConfig& c, config::Describer& d);

/// Rank 0 starts prepared puts, of which each has a descriptor, and waits until it has seen that all were sent (paper
/// 000, 4.1: a driver's test of its DMA controller). A row a method, count of puts and size: the best time of some
/// iterations and the bandwidth.
class PutTest final : public Scenario {
 public:
  explicit PutTest(PutConfig c) : config_(std::move(c)) {}
  int ranks() const override { return config_.peer + 1; }
  Bytes footprint(int /*ranks*/) const override;
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Communicator& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  std::vector<comm::Put> puts(Bytes size, std::int64_t count) const;
  Bytes span(Bytes size) const;
  void one_row(comm::Rank& rank, report::Recorder& r, const std::string& method, Bytes size, std::int64_t count) const;
  PutConfig config_;
  std::vector<std::string> methods_;
};

std::unique_ptr<Scenario> make_put(const config::AnyConfig& c);

}  // namespace tsunagi::scenarios
