// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scenarios/between.hpp"
#include "scenarios/scenario.hpp"

namespace tsunagi::scenarios {

struct PingPongConfig {
  std::vector<std::string> methods;
  std::vector<Bytes> sizes = {8_B};
  int iterations = 100;
  Bytes volume = 16_MiB;
  int warm_up = 2;
  std::string source;
  std::string target;
  Bytes block;
  Bytes every;
  std::vector<std::int64_t> between = {0, 1};
};
void describe(PingPongConfig& c, config::Describer& d);

/// Two ranks send one message to and fro; one row a size: one-way latency (half a round trip,
/// mean over the iterations) and the bandwidth that follows from it. With `methods`, all sizes by each. Both ranks send
/// from their `source` to the other's `target`.
class PingPong final : public Scenario {
 public:
  explicit PingPong(PingPongConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 2; }
  Bytes footprint(int /*ranks*/) const override;
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Communicator& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  /// The library's methods that it uses; {""}: the default.
  std::vector<std::string> methods() const;
  comm::Buffer message(const std::string& method, Bytes size) const;
  comm::Buffer largest(const std::string& method) const;
  void one_row(comm::Rank& rank, report::Recorder& r, const std::string& method, Bytes size) const;
  int iterations(Bytes size) const;
  Between between() const { return Between(config_.between); }
  PingPongConfig config_;
};

std::unique_ptr<Scenario> make_ping_pong(const config::AnyConfig& c);

}  // namespace tsunagi::scenarios
