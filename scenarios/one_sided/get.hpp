// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scenarios/between.hpp"
#include "scenarios/scenario.hpp"

namespace tsunagi::scenarios {

struct GetConfig {
  std::vector<Bytes> sizes = {8_B};
  std::string source;
  std::string target;
  int iterations = 3;
  std::vector<std::int64_t> between = {0, 1};
};
void describe(GetConfig& c, config::Describer& d);

/// A rank fetches from another one, whose program does nothing. A row a size: the mean time until the data are there.
class Get final : public Scenario {
 public:
  explicit Get(GetConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 2; }
  Bytes footprint(int /*ranks*/) const override;
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Communicator&) const override { r.rate("bandwidth", "size", "time"); }
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  Between between() const { return Between(config_.between); }
  GetConfig config_;
};

std::unique_ptr<Scenario> make_get(const config::AnyConfig& c);

}  // namespace tsunagi::scenarios
