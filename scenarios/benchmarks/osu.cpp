// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "comm/window.hpp"
#include "scenarios/between.hpp"
#include "scenarios/bounds.hpp"
#include "scenarios/collectives/collective_data.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/two_sided.hpp"
#include "units/checked.hpp"

namespace tsunagi::scenarios {

namespace {

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

// As the suite has them.
constexpr int data_tag = 100;
constexpr int answer_tag = 101;
constexpr Bytes answer{4};

std::string name_of(int rank) { return "rank " + std::to_string(rank); }

void describe(OsuConfig& c, config::Describer& d) {
  using namespace config;
  const auto number = [](OsuTest t) { return static_cast<std::int64_t>(t); };
  d.choice("test", c.test,
           {{"latency", number(OsuTest::latency), "osu_latency: blocking messages to and fro"},
            {"bw", number(OsuTest::bw), "osu_bw: windows of messages one way"},
            {"bibw", number(OsuTest::bibw), "osu_bibw: windows both ways at once"},
            {"put_latency", number(OsuTest::put_latency),
             "osu_put_latency: puts to and fro, by post, start, complete, wait"},
            {"allreduce", number(OsuTest::allreduce), "osu_allreduce: all ranks, a barrier behind each call"}},
           "which of the benchmarks");
  d.field("sizes", c.sizes, "message sizes, a row each", within(0_B, largest_given));
  d.field("iterations", c.iterations, "that are timed (windows, of bandwidth)", within(1, 1'000'000));
  d.field("warm_up", c.warm_up, "before those", within(0, 1'000'000));
  d.field("large", c.large, "messages beyond that are sent fewer times", within(0_B, largest_given));
  d.field("large_iterations", c.large_iterations, "then timed", within(1, 1'000'000));
  d.field("large_warm_up", c.large_warm_up, "and before those", within(0, 1'000'000));
  d.field("window", c.window, "messages of a window of bandwidth", within(1, 100'000));
  d.field("source", c.source, "where ranks send from, as the library names places; none: their host memory");
  d.field("target", c.target, "where they receive; none: their host memory");
  describe_between(d, c.between);
  d.require(!c.sizes.empty(), "\"sizes\" is empty");
  const bool some = std::none_of(c.sizes.begin(), c.sizes.end(), [](Bytes size) { return size == Bytes::zero(); });
  d.require(c.test != OsuTest::allreduce || some, "\"allreduce\" combines at least 1 B");
  d.require(c.test != OsuTest::put_latency || some, "\"put_latency\" puts at least 1 B");
  d.require(c.test != OsuTest::allreduce || (comm::is_host(c.source) && comm::is_host(c.target)),
            "\"allreduce\" combines in host memory: it has no \"source\" and no \"target\"");
}

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
  void declare(report::Recorder& r, const comm::Library& c) const override;
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

Bytes Osu::largest() const { return *std::max_element(config_.sizes.begin(), config_.sizes.end()); }

Bytes Osu::footprint(int /*ranks*/) const { return many(largest(), 2); }

Bytes Osu::scratch(int ranks) const {
  return config_.test == OsuTest::put_latency ? comm::Window::scratch(ranks, 1) : scratch_;
}

void Osu::fit(comm::World& w) {
  expect_messages(w, 0);
  expect_ranks(w.library(), config_.between);
  const bool by_window = config_.test == OsuTest::put_latency;
  if (by_window) expect_windows(w);
  for (const int rank : {between().first, between().second}) {
    const int peer = between().peer(rank);
    comm::Buffer sent{Bytes::zero(), largest(), config_.source, {}, {}};
    comm::Buffer received{largest(), largest(), {}, {}, config_.target};
    sent.of_window = received.of_window = by_window;
    w.library().check_message(rank, peer, sent);
    w.library().check_message(peer, rank, received);
  }
  if (config_.test == OsuTest::bw || config_.test == OsuTest::bibw) expect_queues(w, config_.window);
  if (config_.test == OsuTest::bibw) expect_sends_first(w, out(largest()), 1, config_.window);
  if (config_.test != OsuTest::allreduce) return;
  const std::vector<int>& all = w.groups().everybody()->ranks;
  for (const Bytes size : config_.sizes) {
    const comm::CollectiveCall c{comm::Collective::allreduce, 0, out(size), in(size)};
    scratch_ = std::max(scratch_, comm::scratch_need(w.library().ranks(), c, {}, comm::means(w, all, c)));
  }
}

void Osu::declare(report::Recorder& r, const comm::Library& c) const {
  if (config_.test != OsuTest::bw && config_.test != OsuTest::bibw) return;
  r.rate("bandwidth", "bytes", "time");
  if (config_.test == OsuTest::bw) declare_message_bounds(r, c, between(), out(largest()));
}

Osu::Count Osu::count(Bytes size) const {
  if (size > config_.large) return {config_.large_warm_up, config_.large_iterations};
  return {config_.warm_up, config_.iterations};
}

void Osu::program(comm::Rank& rank, report::Recorder& r) {
  if (config_.test == OsuTest::put_latency) return put_latency(rank, r);
  if (config_.test != OsuTest::allreduce && !between().has(rank.id())) return;
  if (config_.test != OsuTest::allreduce) rank.ledger()->fill(rank.id(), out(largest()), name_of(rank.id()));
  for (const Bytes size : config_.sizes) {
    if (config_.test == OsuTest::latency)
      latency(rank, r, size);
    else if (config_.test == OsuTest::allreduce)
      allreduce(rank, r, size);
    else
      bandwidth(rank, r, size);
  }
}

void Osu::latency(comm::Rank& rank, report::Recorder& r, Bytes size) const {
  comm::Group g = rank.world();
  const Count n = count(size);
  const int peer = between().peer(rank.id());
  const bool first = rank.id() == between().first;
  Time begin;
  for (int i = -n.warm_up; i < n.timed; ++i) {
    if (i == 0) begin = rank.now();
    if (i == 0 && first) r.begin_account();
    if (first) g.send(peer, data_tag, out(size));
    g.recv(peer, data_tag, in(size));
    rank.ledger()->expect(rank.id(), in(size), name_of(peer), {}, "osu");
    if (!first) g.send(peer, data_tag, out(size));
  }
  if (!first) return;
  const Time half = Time::from_fs((rank.now() - begin) / Time::from_fs(2 * n.timed));
  r.row().bytes("size", size).count("iterations", n.timed).time("latency", half);
}

void Osu::put_latency(comm::Rank& rank, report::Recorder& r) const {
  const bool first = rank.id() == between().first;
  comm::Group g = rank.world().split(between().has(rank.id()) ? 0 : 1, first ? 0 : 1);
  if (!between().has(rank.id())) return;
  const int peer = 1 - g.rank();
  rank.ledger()->fill(rank.id(), out(largest()), name_of(rank.id()));
  const std::unique_ptr<comm::Window> w = g.window(in(largest()));
  const auto put = [&](Bytes size) {
    w->start({peer});
    w->put(peer, Bytes::zero(), out(size));
    w->complete();
  };
  for (const Bytes size : config_.sizes) {
    const Count n = count(size);
    Time begin;
    for (int i = -n.warm_up; i < n.timed; ++i) {
      if (i == 0) begin = rank.now();
      if (i == 0 && first) r.begin_account();
      if (first) put(size);
      w->post({peer});
      w->wait();
      rank.ledger()->expect(rank.id(), in(size), name_of(between().peer(rank.id())), {}, "osu");
      if (!first) put(size);
    }
    if (!first) continue;
    const Time half = Time::from_fs((rank.now() - begin) / Time::from_fs(2 * n.timed));
    r.row().bytes("size", size).count("iterations", n.timed).time("latency", half);
  }
}

void Osu::window(comm::Rank& rank, Bytes size) const {
  comm::Group g = rank.world();
  const int peer = between().peer(rank.id());
  const bool first = rank.id() == between().first;
  const bool both = config_.test == OsuTest::bibw;
  std::vector<comm::Request> requests;
  if (both || !first)
    for (int i = 0; i < config_.window; ++i) requests.push_back(g.irecv(peer, data_tag, in(size)));
  if (both || first)
    for (int i = 0; i < config_.window; ++i) requests.push_back(g.isend(peer, data_tag, out(size)));
  g.wait_all(requests);
  if (both || !first) rank.ledger()->expect(rank.id(), in(size), name_of(peer), {}, "osu");
  if (both) return;
  const Bytes n = std::min(answer, largest());
  if (first)
    g.recv(peer, answer_tag, in(n));
  else
    g.send(peer, answer_tag, out(n));
}

void Osu::bandwidth(comm::Rank& rank, report::Recorder& r, Bytes size) const {
  const Count n = count(size);
  const bool first = rank.id() == between().first;
  Time begin;
  for (int i = -n.warm_up; i < n.timed; ++i) {
    if (i == 0) begin = rank.now();
    if (i == 0 && first) r.begin_account();
    window(rank, size);
  }
  if (!first) return;
  const std::int64_t messages = std::int64_t{n.timed} * config_.window * (config_.test == OsuTest::bibw ? 2 : 1);
  const Time time = rank.now() - begin;
  r.row()
      .bytes("size", size)
      .count("iterations", n.timed)
      .count("window", config_.window)
      .bytes("bytes", size * messages)
      .time("time", time)
      .time("per_message", Time::from_fs(time / Time::from_fs(messages)));
}

void Osu::allreduce(comm::Rank& rank, report::Recorder& r, Bytes size) {
  comm::Group g = rank.world();
  const Count n = count(size);
  const comm::CollectiveCall call{comm::Collective::allreduce, 0, out(size), in(size)};
  g.barrier();
  Time sum;
  for (int i = -n.warm_up; i < n.timed; ++i) {
    if (i == 0 && rank.id() == 0) r.begin_account();
    fill(*rank.ledger(), rank.id(), call);
    const Time begin = rank.now();
    g.collective(call);
    if (i >= 0) sum += rank.now() - begin;
    expect_done(*rank.ledger(), rank.id(), rank.size(), call);
    g.barrier();
  }
  times_.push_back(Time::from_fs(sum / Time::from_fs(n.timed)));
  if (times_.size() < static_cast<std::size_t>(rank.size())) return;
  const Time all = std::accumulate(times_.begin(), times_.end(), Time());
  const auto [least, most] = std::minmax_element(times_.begin(), times_.end());
  r.row()
      .count("ranks", rank.size())
      .bytes("size", size)
      .count("iterations", n.timed)
      .time("latency", Time::from_fs(all / Time::from_fs(rank.size())))
      .time("rank_min", *least)
      .time("rank_max", *most);
  times_.clear();
}

}  // namespace

ScenarioKind osu_scenario() {
  return scenario<Osu, OsuConfig>("osu",
                                  "osu_latency, osu_bw and so on: latency or bandwidth of two-sided messages a size");
}

}  // namespace tsunagi::scenarios
