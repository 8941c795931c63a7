// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scenarios/between.hpp"
#include "scenarios/scenario.hpp"

namespace tsunagi::scenarios {

/// osu_latency, osu_bw, osu_bibw, osu_put_latency, osu_allreduce.
enum class OsuTest : std::uint8_t { latency, bw, bibw, put_latency, allreduce };

struct OsuConfig {
  OsuTest test = OsuTest::latency;
  std::vector<Bytes> sizes = {8_B};
  int iterations = 1000;
  int warm_up = 100;
  Bytes large = 8_KiB;
  int large_iterations = 100;
  int large_warm_up = 10;
  int window = 64;
  std::string source;
  std::string target;
  std::vector<std::int64_t> between = {0, 1};
};
void describe(OsuConfig& c, config::Describer& d);

/// The OSU micro-benchmarks (of MVAPICH2 1.9) on two-sided messages and windows. A row a size.
///  - latency: blocking sends and receives of two ranks to and fro, half the mean round trip.
///  - bw: the first starts `window` sends and waits for all, for which the other has posted receives into one buffer;
///  then a
///    message of 4 B comes back. Bytes of all windows over the time of the first. bibw: both ranks post receives, send
///    and wait for all.
///  - put_latency: puts of two ranks to and fro, in epochs of post, start, complete and wait; half the mean round trip.
///  - allreduce: all ranks, a barrier behind each call; the mean time of the calls, over all ranks, and of the ranks'
///    own means the least and the most.
class Osu final : public Scenario {
 public:
  explicit Osu(OsuConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 2; }
  Bytes footprint(int ranks) const override;
  Bytes scratch(int ranks) const override;
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Communicator& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  struct Count {
    int warm_up = 0;
    int timed = 0;
  };
  Between between() const { return Between(config_.between); }
  Bytes largest() const;
  Count count(Bytes size) const;
  /// Where a rank sends from, and where it receives: behind that.
  comm::Buffer out(Bytes size) const { return {Bytes::zero(), size, config_.source, {}, {}}; }
  comm::Buffer in(Bytes size) const { return {largest(), size, config_.target, {}, {}}; }
  void latency(comm::Rank& rank, report::Recorder& r, Bytes size) const;
  void put_latency(comm::Rank& rank, report::Recorder& r) const;
  void bandwidth(comm::Rank& rank, report::Recorder& r, Bytes size) const;
  /// One window of a rank, and what ends it.
  void window(comm::Rank& rank, Bytes size) const;
  void allreduce(comm::Rank& rank, report::Recorder& r, Bytes size);

  OsuConfig config_;
  Bytes scratch_;            // of its collectives
  std::vector<Time> times_;  // of ranks
};

std::unique_ptr<Scenario> make_osu(const config::AnyConfig& c);

}  // namespace tsunagi::scenarios
