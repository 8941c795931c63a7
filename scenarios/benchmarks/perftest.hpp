// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scenarios/between.hpp"
#include "scenarios/scenario.hpp"

namespace tsunagi::scenarios {

/// ib_write_lat and so on: `write`, `send` or `read`, by its latency or its bandwidth.
enum class PerfTest : std::uint8_t { write_lat, send_lat, read_lat, write_bw, send_bw, read_bw };

struct PerftestConfig {
  PerfTest test = PerfTest::write_lat;
  std::vector<Bytes> sizes = {2_B};
  int iterations = 1000;
  Bytes volume = 16_MiB;
  int tx_depth = 128;
  int cq_mod = 100;
  std::vector<std::int64_t> between = {0, 1};
};
void describe(PerftestConfig& c, config::Describer& d);

/// The tests of linux-rdma's perftest between two ranks, as that defines them. A row a size.
///  - Latency: from one post to the next one. Of write_lat, whose receiver polls the last byte in its memory, and
///    send_lat, whose receiver polls its completion queue, both ranks post in turn, and it is half of that time; of
///    read_lat it is all of it. Writes and reads are signalled, of sends one in `cq_mod`.
///  - Bandwidth: the first rank has up to `tx_depth` posted and not done to each of its queues (rails), one in `cq_mod`
///    of them signalled, from before the first post until it has seen that all are done. The other one receives sends,
///    and posts a new receive for each; of writes and reads it sees nothing.
class Perftest final : public Scenario {
 public:
  explicit Perftest(PerftestConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 2; }
  Bytes footprint(int /*ranks*/) const override;
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Communicator& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  Between between() const { return Between(config_.between); }
  bool is_latency() const { return config_.test <= PerfTest::read_lat; }
  const char* method() const;
  int iterations(Bytes size) const;
  comm::Buffer message(Bytes size) const { return {Bytes::zero(), size, {}, method(), {}}; }
  void read_latency(comm::Rank& rank, report::Recorder& r, Bytes size) const;
  void latency(comm::Rank& rank, report::Recorder& r, Bytes size) const;
  void bandwidth(comm::Rank& rank, report::Recorder& r, Bytes size) const;
  void latency_row(report::Recorder& r, Bytes size, const std::vector<Time>& posts, int halves) const;
  /// Whether transfer `i` of `n` is one of those that `poll` tells of.
  static bool signalled(int i, int n, int every) { return (i + 1) % every == 0 || i + 1 == n; }
  PerftestConfig config_;
};

std::unique_ptr<Scenario> make_perftest(const config::AnyConfig& c);

}  // namespace tsunagi::scenarios
