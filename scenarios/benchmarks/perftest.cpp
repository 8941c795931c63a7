// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/error_at.hpp"
#include "scenarios/between.hpp"
#include "scenarios/bounds.hpp"
#include "scenarios/methods.hpp"
#include "scenarios/scenario.hpp"
#include "stats/samples.hpp"
#include "units/checked.hpp"

namespace tsunagi::scenarios {

namespace {

/// ib_write_lat and so on: `write`, `send` or `read`, by its latency or its bandwidth.
enum class PerfTest : std::uint8_t { write_lat, send_lat, read_lat, write_bw, send_bw, read_bw };

struct PerftestConfig {
  PerfTest test = PerfTest::write_lat;
  std::vector<Bytes> sizes = {2_B};
  int iterations = 1000;
  Bytes volume = 16_MiB;
  int tx_depth = 128;
  int cq_mod = 100;
  std::string source;
  std::string target;
  bool both_ways = false;
  std::vector<std::int64_t> between = {0, 1};
};

void describe(PerftestConfig& c, config::Describer& d) {
  using namespace config;
  const auto choice = [](std::string_view name, PerfTest t, std::string_view doc) {
    return Choice{name, static_cast<std::int64_t>(t), doc};
  };
  d.choice("test", c.test,
           {choice("write_lat", PerfTest::write_lat, "ib_write_lat: writes to and fro, polled in memory"),
            choice("send_lat", PerfTest::send_lat, "ib_send_lat: sends to and fro, polled in the completion queue"),
            choice("read_lat", PerfTest::read_lat, "ib_read_lat: one read at a time"),
            choice("write_bw", PerfTest::write_bw, "ib_write_bw: as many writes as the queue holds"),
            choice("send_bw", PerfTest::send_bw, "ib_send_bw: the same of sends, received one by one"),
            choice("read_bw", PerfTest::read_bw, "ib_read_bw: the same of reads")},
           "which of perftest's tests");
  d.field("sizes", c.sizes, "message sizes, a row each", within(0_B, largest_given));
  d.field("iterations", c.iterations, "posts of a rank to a queue", within(2, 1'000'000));
  d.field("volume", c.volume, "large messages are posted fewer times: about these bytes a row, at least twice",
          within(1_B, largest_given));
  d.field("tx_depth", c.tx_depth, "of bandwidth: posted and not done at most", within(1, 16384));
  d.field("cq_mod", c.cq_mod, "of bandwidth and sends: one in so many is signalled; tx_depth at most",
          within(1, 16384));
  d.field("source", c.source,
          "of write_bw and read_bw: memory at the first rank, as the library names it; none: host memory");
  d.field("target", c.target,
          "of write_bw and read_bw: memory at the second rank, as the library names it; none: host memory");
  d.field("both_ways", c.both_ways, "of write_bw: both ranks write at the same time (-b), a row each");
  describe_between(d, c.between);
  const bool takes_places = c.test == PerfTest::write_bw || c.test == PerfTest::read_bw;
  d.require(c.source.empty() || takes_places, "\"source\" is for \"write_bw\" and \"read_bw\"");
  d.require(c.target.empty() || takes_places, "\"target\" is for \"write_bw\" and \"read_bw\"");
  d.require(!c.both_ways || c.test == PerfTest::write_bw, "\"both_ways\" is for \"write_bw\"");
  d.require(!c.sizes.empty(), "\"sizes\" is empty");
  d.require(c.test != PerfTest::write_lat ||
                std::none_of(c.sizes.begin(), c.sizes.end(), [](Bytes size) { return size == Bytes::zero(); }),
            "\"write_lat\" needs at least 1 B: a write of none changes no byte that could be polled");
}

/// The tests of linux-rdma's perftest between two ranks, as that defines them. A row a size.
///  - Latency: from one post to the next one. Of write_lat, whose receiver polls the last byte in its memory, and
///    send_lat, whose receiver polls its completion queue, both ranks post in turn, and it is half of that time; of
///    read_lat it is all of it. Writes and reads are signalled, of sends one in `cq_mod`.
///  - Bandwidth: the first rank has up to `tx_depth` posted and not done to each of its queues (rails), one in `cq_mod`
///    of them signalled, from before the first post until it has seen that all are done. The other one receives sends,
///    and posts a new receive for each; of writes and reads it sees nothing. `both_ways`: it does the same at the same
///    time.
class Perftest final : public Scenario {
 public:
  explicit Perftest(PerftestConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 2; }
  Bytes footprint(int /*ranks*/) const override;
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Library& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  Between between() const { return Between(config_.between); }
  bool is_latency() const { return config_.test <= PerfTest::read_lat; }
  const char* method() const;
  int iterations(Bytes size) const;
  comm::Buffer message(Bytes size) const { return {Bytes::zero(), size, config_.source, method(), config_.target}; }
  /// What a rank posts: the second one's memory is the first one's target.
  comm::Buffer message_of(int rank, Bytes size) const {
    comm::Buffer out = message(size);
    if (rank == between().second) std::swap(out.place, out.target);
    return out;
  }
  static std::string name_of(int rank) { return "rank " + std::to_string(rank); }
  void read_latency(comm::Rank& rank, report::Recorder& r, Bytes size) const;
  void latency(comm::Rank& rank, report::Recorder& r, Bytes size) const;
  void bandwidth(comm::Rank& rank, report::Recorder& r, Bytes size) const;
  void latency_row(report::Recorder& r, Bytes size, const std::vector<Time>& posts, int halves) const;
  /// Whether transfer `i` of `n` is one of those that `poll` tells of.
  static bool signalled(int i, int n, int every) { return (i + 1) % every == 0 || i + 1 == n; }
  PerftestConfig config_;
};

Bytes Perftest::footprint(int /*ranks*/) const { return *std::max_element(config_.sizes.begin(), config_.sizes.end()); }

const char* Perftest::method() const {
  switch (config_.test) {
    case PerfTest::write_lat:
    case PerfTest::write_bw:
      return "write";
    case PerfTest::send_lat:
    case PerfTest::send_bw:
      return "send";
    case PerfTest::read_lat:
    case PerfTest::read_bw:
      break;
  }
  return "read";
}

void Perftest::fit(comm::World& w) {
  comm::WorkQueues* queues = w.library().facet<comm::WorkQueues>();
  if (queues == nullptr)
    throw config::error_at("/library", "the library has no work queues to post to and poll (verbs has)");
  check_method(method(), queues->methods(), "/scenario/test");
  if (!is_latency() && config_.tx_depth > queues->depth())
    throw config::error_at("/scenario/tx_depth", "the library's send queues hold " + std::to_string(queues->depth()) +
                                                     ", not " + std::to_string(config_.tx_depth));
  if (config_.test == PerfTest::send_bw && !queues->reliable())
    throw config::error_at("/scenario/test", "\"send_bw\" counts what arrives: datagrams may be lost");
  expect_ranks(w.library(), config_.between);
  for (const int rank : {between().first, between().second})
    if (rank == between().first || config_.both_ways || (config_.source.empty() && config_.target.empty()))
      queues->check(rank, between().peer(rank), message_of(rank, footprint(2)));
}

void Perftest::declare(report::Recorder& r, const comm::Library& c) const {
  if (is_latency()) return;
  r.rate("bandwidth", "bytes", "time");
  const int first = config_.test == PerfTest::read_bw ? between().second : between().first;
  for (const int from : {first, between().peer(first)})
    if (from == first || config_.both_ways)
      for (const comm::Ceiling& ceiling : c.ceilings(from, between().peer(from), message_of(from, footprint(2))))
        r.ceiling({config_.both_ways ? name_of(from) : "", ceiling.name, ceiling.rate, ceiling.burst, false});
}

int Perftest::iterations(Bytes size) const {
  if (size == Bytes::zero()) return config_.iterations;
  return static_cast<int>(std::clamp<std::int64_t>(config_.volume / size, 2, config_.iterations));
}

void Perftest::program(comm::Rank& rank, report::Recorder& r) {
  if (!between().has(rank.id())) return;
  for (const Bytes size : config_.sizes) {
    if (!is_latency())
      bandwidth(rank, r, size);
    else if (config_.test == PerfTest::read_lat)
      read_latency(rank, r, size);
    else
      latency(rank, r, size);
  }
}

void Perftest::latency(comm::Rank& rank, report::Recorder& r, Bytes size) const {
  const int peer = between().peer(rank.id()), n = iterations(size);
  const int every = config_.test == PerfTest::send_lat ? std::min(config_.cq_mod, rank.work_queues().depth()) : 1;
  const comm::Buffer b = message(size);
  std::vector<Time> posts;
  const bool begins = rank.id() == between().first;
  if (begins) r.begin_account();
  for (int i = 0; i < n; ++i) {
    if (!begins) rank.recv(peer, b);
    posts.push_back(rank.now());
    rank.post(peer, {b, 0, signalled(i, n, every), true});
    if (signalled(i, n, every)) rank.poll_done();
    if (begins) rank.recv(peer, b);
  }
  if (begins) latency_row(r, size, posts, 2);
}

void Perftest::read_latency(comm::Rank& rank, report::Recorder& r, Bytes size) const {
  if (rank.id() == between().second) return;
  std::vector<Time> posts;
  r.begin_account();
  for (int i = iterations(size); i > 0; --i) {
    posts.push_back(rank.now());
    rank.get(between().second, message(size));
  }
  latency_row(r, size, posts, 1);
}

void Perftest::latency_row(report::Recorder& r, Bytes size, const std::vector<Time>& posts, int halves) const {
  std::vector<Time> samples;
  for (std::size_t i = 1; i < posts.size(); ++i)
    samples.push_back(Time::from_fs((posts[i] - posts[i - 1]) / Time::from_fs(halves)));
  std::sort(samples.begin(), samples.end());
  r.row()
      .bytes("size", size)
      .count("iterations", static_cast<std::int64_t>(posts.size()))
      .time("min", samples.front())
      .time("max", samples.back())
      .time("median", stats::quantile(samples, 500))
      .time("mean", stats::mean(samples))
      .time("p99", stats::quantile(samples, 990))
      .headline({"median", "the median, which perftest calls typical"});
}

void Perftest::bandwidth(comm::Rank& rank, report::Recorder& r, Bytes size) const {
  const int n = iterations(size), depth = config_.tx_depth, every = std::min(config_.cq_mod, depth);
  const int queues = rank.work_queues().queues();
  const bool sends = config_.test == PerfTest::send_bw;
  const bool is_first = rank.id() == between().first;
  const int peer = between().peer(rank.id());
  if (!is_first && !config_.both_ways) {
    for (int i = 0; sends && i < n * queues; ++i) rank.recv(peer, message(size));
    return;
  }
  const comm::Buffer b = message_of(rank.id(), size);
  struct Queue {
    int posted = 0;
    int done = 0;
  };
  std::vector<Queue> all(static_cast<std::size_t>(queues));
  const Time begin = rank.now();
  if (is_first) r.begin_account();
  for (int done = 0; done < n * queues;) {
    for (int q = 0; q < queues; ++q)
      for (int& i = all[static_cast<std::size_t>(q)].posted; i < n && i - all[static_cast<std::size_t>(q)].done < depth;
           ++i)
        rank.post(peer, {b, q, signalled(i, n, every), sends});
    const comm::WorkQueues::Done some = rank.poll_done();
    all[static_cast<std::size_t>(some.queue)].done += some.transfers;
    done += some.transfers;
  }
  const Time time = rank.now() - begin;
  report::Row& row = r.row();
  if (config_.both_ways) row.text("method", name_of(rank.id()));
  row.bytes("size", size)
      .count("iterations", n)
      .bytes("bytes", size * n * queues)
      .time("time", time)
      .time("per_message", Time::from_fs(time / Time::from_fs(n * queues)));
}

}  // namespace

ScenarioKind perftest_scenario() {
  return scenario<Perftest, PerftestConfig>(
      "perftest", "ib_write_lat, ib_write_bw and so on: latency or bandwidth of an adapter a size");
}

}  // namespace tsunagi::scenarios
