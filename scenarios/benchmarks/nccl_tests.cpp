// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "comm/facets/stream_collectives.hpp"
#include "config/error_at.hpp"
#include "scenarios/scenario.hpp"

namespace tsunagi::scenarios {

namespace {

using comm::QueuedCollective;
using Queued = QueuedCollective::Kind;

struct NcclTestsConfig {
  Queued test = Queued::allreduce;
  std::vector<Bytes> sizes = {32_KiB, 1_MiB, 32_MiB};
  int warm_up = 1;
  int iterations = 4;
};

void describe(NcclTestsConfig& c, config::Describer& d) {
  using namespace config;
  const auto number = [](Queued k) { return static_cast<std::int64_t>(k); };
  d.choice("test", c.test,
           {{"all_reduce", number(Queued::allreduce), "all ranks have the sum"},
            {"all_gather", number(Queued::all_gather), "all ranks have all parts"},
            {"reduce_scatter", number(Queued::reduce_scatter), "each rank has a part of the sum"},
            {"sendrecv", number(Queued::send_receive), "each rank sends to the next"},
            {"broadcast", number(Queued::broadcast), "all ranks have rank 0's"},
            {"reduce", number(Queued::reduce), "rank 0 has the sum"}},
           "which of its programs");
  d.field("sizes", c.sizes, "bytes, a row each: of all_gather and reduce_scatter all ranks' parts together",
          within(1_B, 16_GiB));
  d.field("warm_up", c.warm_up, "calls before those that are timed", within(0, 1000));
  d.field("iterations", c.iterations, "calls that are queued one behind the other and timed together",
          within(1, 100'000));
  d.require(!c.sizes.empty(), "\"sizes\" is empty");
}

/// The programs of nccl-tests (src/common.cu, BenchTime): every rank queues calls in a stream of its GPU, one behind
/// the other, and waits for the last; the time of a call is that from the common start until the last rank is done,
/// over their number. Columns are its: algbw is size over time, busbw what each link carries of that, which is n - 1
/// parts of n, of an all-reduce twice, of broadcast, reduce and sendrecv all (doc/PERFORMANCE.md).
class NcclTests final : public Scenario {
 public:
  explicit NcclTests(NcclTestsConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 2; }
  Bytes footprint(int ranks) const override;
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Library& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  void one_row(comm::Rank& rank, report::Recorder& r, Bytes size);
  Bytes on_bus(Bytes size, int ranks) const;
  NcclTestsConfig config_;
  std::vector<std::string> hows_;
  comm::StartLine line_;
  Time begin_;
};

Bytes NcclTests::footprint(int /*ranks*/) const {
  return *std::max_element(config_.sizes.begin(), config_.sizes.end()) * 2;  // in and out
}

void NcclTests::fit(comm::World& w) {
  const auto* queued = w.library().facet<comm::StreamCollectives>();
  if (queued == nullptr || w.library().facet<comm::Streams>() == nullptr)
    throw config::error_at("/library", "the library queues no collectives in streams of GPUs (gpu_ring does)");
  for (const Bytes size : config_.sizes) {
    queued->check_queued({config_.test, size, 0});
    hows_.push_back(queued->how({config_.test, size, 0}));
  }
}

void NcclTests::declare(report::Recorder& r, const comm::Library& /*c*/) const {
  r.rate("algbw", "size", "time");
  r.rate("busbw", "bus", "time");
}

/// Bytes that a link carries of a call: size times 2 (n - 1) / n and its like, for n ranks.
Bytes NcclTests::on_bus(Bytes size, int ranks) const {
  switch (config_.test) {
    case Queued::allreduce:
      return Bytes(size.count() * 2 * (ranks - 1) / ranks);
    case Queued::all_gather:
    case Queued::reduce_scatter:
      return Bytes(size.count() * (ranks - 1) / ranks);
    default:
      return size;
  }
}

void NcclTests::program(comm::Rank& rank, report::Recorder& r) {
  for (const Bytes size : config_.sizes) one_row(rank, r, size);
}

void NcclTests::one_row(comm::Rank& rank, report::Recorder& r, Bytes size) {
  const QueuedCollective call{config_.test, size, 0};
  comm::StreamEvent last;
  for (int i = 0; i < config_.warm_up; ++i) last = rank.enqueue(call);
  if (config_.warm_up > 0) rank.synchronise(last);
  rank.meet(line_, [&] {
    begin_ = rank.now();
    r.begin_account();
  });
  for (int i = 0; i < config_.iterations; ++i) last = rank.enqueue(call);
  rank.synchronise(last);
  rank.meet(line_, [&] {
    const auto at = std::find(config_.sizes.begin(), config_.sizes.end(), size) - config_.sizes.begin();
    r.row()
        .bytes("size", size)
        .text("how", hows_[static_cast<std::size_t>(at)])
        .count("iterations", config_.iterations)
        .time("time", Time::from_fs((rank.now() - begin_).fs() / config_.iterations))
        .bytes("bus", on_bus(size, rank.size()));
  });
}

}  // namespace

ScenarioKind nccl_tests_scenario() {
  return scenario<NcclTests, NcclTestsConfig>("nccl_tests",
                                              "collectives queued in GPUs' streams, as nccl-tests times them");
}

}  // namespace tsunagi::scenarios
