// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scenarios/scenario.hpp"

namespace tsunagi::scenarios {

struct AllToAllConfig {
  std::string source;
  std::string target;
  std::string method;
  std::vector<Bytes> sizes = {4_KiB};
  int iterations = 3;
};
void describe(AllToAllConfig& c, config::Describer& d);

/// Every rank puts a block to every other rank, at the same time: the next rank first, then the one after it, and so
/// on. A row a size: the mean time from the common start until every rank has received and sent all, the bytes that a
/// rank sends, and the bandwidth of a rank.
class AllToAll final : public Scenario {
 public:
  explicit AllToAll(AllToAllConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 2; }
  Bytes footprint() const override;
  Bounded bounded() const override { return Bounded::no; }
  void fit(comm::Communicator& c) override;
  void declare(report::Recorder& r) const override;
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
