// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "scenarios/scenario.hpp"
#include "scenarios/traffic/partners.hpp"

namespace tsunagi::scenarios {

struct RandomPairsConfig {
  Pairing pairing = Pairing::matching;
  std::vector<Bytes> sizes = {64_KiB};
  int messages = 1;
  int rounds = 10;
  std::int64_t seed = 1;
  int ranks = 0;
};
void describe(RandomPairsConfig& c, config::Describer& d);

/// In each round, which all begin together, every rank exchanges messages with partners drawn anew, all at once. A row
/// a size: the mean time until the last rank is done, and, from the times of all ranks in all rounds, the slowest, the
/// time of the mean rate, and Jain's index of fairness of the rates, in a million.
class RandomPairs final : public Scenario {
 public:
  explicit RandomPairs(RandomPairsConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 2; }
  Bytes footprint(int ranks) const override;
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Communicator& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  void round(comm::Rank& rank, comm::Group& g, Bytes size);
  void report(report::Row& row, int ranks, Bytes size);

  RandomPairsConfig config_;
  int tags_ = 1;  // of a round's messages: one each where a tag stands for one message
  // What all ranks share of a round, and of a row.
  std::vector<Partners> partners_;
  Time begin_;
  Time total_;
  std::vector<Time> times_;
  comm::StartLine line_;
};

std::unique_ptr<Scenario> make_random_pairs(const config::AnyConfig& c);

}  // namespace tsunagi::scenarios
