// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "scenarios/scenario.hpp"

namespace tsunagi::scenarios {

struct NeighboursConfig {
  std::vector<Bytes> sizes = {64_KiB};
  int messages = 16;
  std::vector<std::int64_t> between;
};
void describe(NeighboursConfig& c, config::Describer& d);

/// Every rank streams messages to the next rank and to the one before it, in turn, and receives from both; behind the
/// last rank comes the first one. By a library of two-sided messages alone receives are posted first. One row a size:
/// the bytes that all ranks sent, from the common start until all have arrived.
class Neighbours final : public Scenario {
 public:
  explicit Neighbours(NeighboursConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 2; }
  Bytes footprint(int /*ranks*/) const override;
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Communicator& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  /// The ranks before and behind one.
  struct Place {
    int previous = 0;
    int next = 0;
  };
  /// Nothing: the rank does not take part.
  std::optional<Place> place_of(int rank) const;
  void stream(comm::Rank& rank, Place at, Bytes size) const;
  void stream_by_messages(comm::Rank& rank, Place at, Bytes size) const;
  /// Messages to the next rank lie at even places, those to the one before at odd ones.
  static comm::Buffer buffer(Bytes size, int i, int odd) { return {size * (2 * i + odd), size, {}, {}}; }

  NeighboursConfig config_;
  std::vector<int> ring_;
  bool direct_ = true;
  int tags_ = 1;  // of messages to one side: one each where a tag stands for one message
  Time start_;
  comm::StartLine start_line_;
};

std::unique_ptr<Scenario> make_neighbours(const config::AnyConfig& c);

}  // namespace tsunagi::scenarios
