// SPDX-License-Identifier: Apache-2.0
#include "scenarios/benchmarks/perftest.hpp"

#include <algorithm>

#include "config/error_at.hpp"
#include "scenarios/bounds.hpp"
#include "scenarios/methods.hpp"
#include "stats/samples.hpp"
#include "units/checked.hpp"

namespace tsunagi::scenarios {

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
  describe_between(d, c.between);
  d.require(!c.sizes.empty(), "\"sizes\" is empty");
  d.require(c.test != PerfTest::write_lat ||
                std::none_of(c.sizes.begin(), c.sizes.end(), [](Bytes size) { return size == Bytes::zero(); }),
            "\"write_lat\" needs at least 1 B: a write of none changes no byte that could be polled");
}

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
    queues->check(rank, between().peer(rank), message(footprint(2)));
}

void Perftest::declare(report::Recorder& r, const comm::Communicator& c) const {
  if (is_latency()) return;
  r.rate("bandwidth", "bytes", "time");
  const int from = config_.test == PerfTest::read_bw ? between().second : between().first;
  for (comm::Ceiling ceiling : c.ceilings(from, between().peer(from), message(footprint(2))))
    r.ceiling({"", ceiling.name, ceiling.rate, ceiling.burst, false});
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
  if (rank.id() == between().second) {
    for (int i = 0; sends && i < n * queues; ++i) rank.recv(between().first, message(size));
    return;
  }
  struct Queue {
    int posted = 0;
    int done = 0;
  };
  std::vector<Queue> all(static_cast<std::size_t>(queues));
  const Time begin = rank.now();
  r.begin_account();
  for (int done = 0; done < n * queues;) {
    for (int q = 0; q < queues; ++q)
      for (int& i = all[static_cast<std::size_t>(q)].posted; i < n && i - all[static_cast<std::size_t>(q)].done < depth;
           ++i)
        rank.post(between().second, {message(size), q, signalled(i, n, every), sends});
    const comm::WorkQueues::Done some = rank.poll_done();
    all[static_cast<std::size_t>(some.queue)].done += some.transfers;
    done += some.transfers;
  }
  const Time time = rank.now() - begin;
  r.row()
      .bytes("size", size)
      .count("iterations", n)
      .bytes("bytes", size * n * queues)
      .time("time", time)
      .time("per_message", Time::from_fs(time / Time::from_fs(n * queues)));
}

std::unique_ptr<Scenario> make_perftest(const config::AnyConfig& c) {
  return std::make_unique<Perftest>(c.as<PerftestConfig>());
}

}  // namespace tsunagi::scenarios
