// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flow/ring.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/traffic/arrivals.hpp"
#include "scenarios/traffic/traffic_pattern.hpp"
#include "scenarios/traffic/traffic_window.hpp"

namespace tsunagi::scenarios {

struct TrafficConfig {
  Pattern pattern = Pattern::uniform;
  Bytes size = 64_B;
  std::vector<std::string> loads = {"10 %"};
  Arrivals arrivals = Arrivals::exponential;
  std::int64_t burst = 8;
  std::vector<std::int64_t> rates;
  Time warm_up = 5_us;
  Time window = 20_us;
  Time cool_down = 2_us;
  std::vector<std::int64_t> grid;
  std::vector<std::int64_t> open;
  int distance = 1;
  std::vector<std::string> matrix;
  int target = 0;
  double share = 0.1;
  std::int64_t seed = 1;
};
void describe(TrafficConfig& c, config::Describer& d);

/// Open-loop traffic: every rank posts messages of one size at random times, whatever became of the ones before.
/// One row an offered load (in a million parts of the rate at which a rank can send when it meets nobody), beside it
/// the load at which the busiest wire of the routes is full: bytes offered and accepted by all ranks within the window,
/// and latencies from posting to the last byte's arrival. Ranks post from the start of the warm-up to the end of the
/// cool-down, so that the last measured messages meet traffic, too; then the network drains, and the next load starts
/// in an empty one.
class Traffic final : public Scenario {
 public:
  explicit Traffic(TrafficConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 2; }
  Bytes footprint(int /*ranks*/) const override { return config_.size; }
  void fit(comm::World& w) override;
  bool bears_loss() const override { return true; }
  void declare(report::Recorder& r, const comm::Communicator& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  struct Sender;
  void one_load(Sender& s, std::int64_t load);
  void collect(Sender& s, bool wait);
  void set_pattern(int ranks);
  /// In a million parts of the injection rate. Throws config::ConfigError if ranks cannot offer it.
  std::int64_t load_of(const std::string& text, Rate full) const;
  Time longest_mean() const;
  ArrivalRate arrivals(std::int64_t load, std::int64_t share) const;

  TrafficConfig config_;
  std::unique_ptr<TrafficPattern> pattern_;
  std::vector<std::int64_t> loads_;    // in a million
  Time slot_;                          // between messages at full injection rate
  std::optional<std::int64_t> bound_;  // of the load, in a million
  bool loses_ = false;                 // the library may lose messages
  TrafficWindow measured_;
  comm::StartLine start_line_;
};

std::unique_ptr<Scenario> make_traffic(const config::AnyConfig& c);

}  // namespace tsunagi::scenarios
