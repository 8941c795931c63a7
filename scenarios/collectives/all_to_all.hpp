// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scenarios/collectives/measured_collective.hpp"

namespace tsunagi::scenarios {

struct AllToAllConfig {
  enum class By : std::uint8_t { puts, messages };
  By by = By::puts;
  std::string source;
  std::string target;
  std::string method;
  // by messages, and by both
  CollectiveConfig how = [] {
    CollectiveConfig c;
    c.sizes = {4_KiB};
    c.warm_up = 0;
    return c;
  }();
};
void describe(AllToAllConfig& c, config::Describer& d);

/// Every rank puts a block to every other rank, at the same time: the next rank first, then the one after it, and so
/// on. A row a size: the mean time from the common start until every rank has received and sent all, the bytes that a
/// rank sends, and the bandwidth of a rank.
class AllToAllPuts final : public Scenario {
 public:
  explicit AllToAllPuts(AllToAllConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 2; }
  Bytes footprint(int /*ranks*/) const override;
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Communicator& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  std::vector<comm::Put> puts(int rank, Bytes size) const;
  AllToAllConfig config_;
  std::string method_;
  int ranks_ = 0;
  comm::StartLine line_;
};

std::unique_ptr<Scenario> make_all_to_all(const config::AnyConfig& c);

}  // namespace tsunagi::scenarios
