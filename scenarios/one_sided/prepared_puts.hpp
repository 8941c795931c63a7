// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scenarios/scenario.hpp"

namespace tsunagi::scenarios {

/// Who puts what to whom: buffers to and fro; that of rank 0 down a binomial tree to all; a block of each to all.
enum class PutPattern : std::uint8_t { ping_pong, broadcast, allgather };

struct PreparedPutsConfig {
  PutPattern pattern = PutPattern::ping_pong;
  std::vector<Bytes> sizes = {8_B};
  std::string memory;
  std::string method;
  int ranks = 0;
  int iterations = 10;
  int warm_up = 2;
};
void describe(PreparedPutsConfig& c, config::Describer& d);

/// Communication by puts that are prepared once and started again and again, and by the notifications behind their
/// data. A rank that has started its puts waits until they are sent and for the notifications of all that put to it;
/// who passes on what it gets, first for those. A row a size: of the ping-pong half a round trip, else the mean time
/// from a common start until the last rank is done.
class PreparedPuts final : public Scenario {
 public:
  explicit PreparedPuts(PreparedPutsConfig c) : config_(std::move(c)) {}
  int ranks() const override { return std::max(config_.ranks, 2); }
  Bytes footprint(int ranks) const override;
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Communicator& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  /// The puts of a rank, and the ranks that put to it.
  std::vector<comm::Put> puts(int rank, Bytes size) const;
  std::vector<int> sources(int rank) const;
  void one_row(comm::Rank& rank, report::Recorder& r, Bytes size);
  void once(comm::Rank& rank, int number, Bytes size) const;

  PreparedPutsConfig config_;
  int ranks_ = 0;  // that take part
  comm::StartLine line_;
  Time begin_, total_;
};

std::unique_ptr<Scenario> make_prepared_puts(const config::AnyConfig& c);

}  // namespace tsunagi::scenarios
