// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "scenarios/between.hpp"
#include "scenarios/scenario.hpp"

namespace tsunagi::scenarios {

struct PostedReceivesConfig {
  int outstanding = 600;
  Bytes size = 4_B;
  int warm_up = 2;
  Time settle = 100_us;
  std::vector<std::int64_t> between = {0, 1};
};
void describe(PostedReceivesConfig& c, config::Describer& d);

/// What receives that were posted long before cost (paper 002, table 2). Two ranks each post `outstanding` receives
/// of the other's messages, each with a tag and a buffer of its own; when all that follows from these calls has
/// happened, a message to and fro a tag takes them in the order in which they were posted. One row: the time from one
/// posting call's return to the next one's, mean and of the last, by the first rank, and half of the mean round trip.
class PostedReceives final : public Scenario {
 public:
  explicit PostedReceives(PostedReceivesConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 2; }
  Bytes footprint(int ranks) const override;
  void fit(comm::World& w) override;
  void declare(report::Recorder& /*r*/, const comm::Library& /*c*/) const override {}
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  /// When posting calls returned.
  struct Posted {
    std::vector<comm::Request> receives;
    Time first;
    Time before_last;
    Time last;
  };
  /// What every message is sent from, and where the `i`th arrives: behind that.
  comm::Buffer out() const { return {Bytes::zero(), config_.size, {}, {}}; }
  comm::Buffer in(int i) const { return {config_.size * (i + 1), config_.size, {}, {}}; }
  Posted post(comm::Rank& rank, comm::Group& g) const;
  /// To and fro, tag by tag.
  void take_all(comm::Rank& rank, comm::Group& g, const Posted& p) const;

  Between between() const { return Between(config_.between); }
  PostedReceivesConfig config_;
  comm::StartLine line_;
  Time begin_;  // of the messages
};

}  // namespace tsunagi::scenarios
