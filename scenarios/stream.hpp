// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "scenarios/between.hpp"
#include "scenarios/scenario.hpp"

namespace tsunagi::scenarios {

struct StreamConfig {
  std::vector<Bytes> sizes = {1_MiB};
  int messages = 4;
  std::vector<std::int64_t> between = {0, 1};
};
void describe(StreamConfig& c, config::Describer& d);

/// Rank 0 sends messages back to back, rank 1 receives them; one row a size: the time between the
/// arrival of the first message and of the last, and the bytes of all but the first.
class Stream final : public Scenario {
 public:
  explicit Stream(StreamConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 2; }
  Bytes footprint(int /*ranks*/) const override;
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Communicator& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  Between between() const { return Between(config_.between); }
  StreamConfig config_;
};

std::unique_ptr<Scenario> make_stream(const config::AnyConfig& c);

}  // namespace tsunagi::scenarios
