// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/error_at.hpp"
#include "scenarios/between.hpp"
#include "scenarios/bounds.hpp"
#include "scenarios/scenario.hpp"
#include "units/checked.hpp"

namespace tsunagi::scenarios {

namespace {

enum class PmTest : std::uint8_t { round_trip, messages, write, read };

struct PmtestConfig {
  PmTest test = PmTest::round_trip;
  std::vector<Bytes> sizes = {8_B};
  int iterations = 1000;
  int warm_up = 10;
  Bytes volume = 16_MiB;
  std::vector<std::int64_t> between = {0, 1};
};

void describe(PmtestConfig& c, config::Describer& d) {
  using namespace config;
  const auto choice = [](std::string_view name, PmTest t, std::string_view doc) {
    return Choice{name, static_cast<std::int64_t>(t), doc};
  };
  d.choice("test", c.test,
           {choice("round_trip", PmTest::round_trip, "a message to and fro"),
            choice("messages", PmTest::messages, "messages back to back, the last of which is answered"),
            choice("write", PmTest::write, "writes to the peer's memory back to back, until all are done"),
            choice("read", PmTest::read, "reads from there")},
           "what is measured");
  d.field("sizes", c.sizes, "message sizes, a row each", within(1_B, largest_given));
  d.field("iterations", c.iterations, "messages a row", within(1, 1'000'000));
  d.field("warm_up", c.warm_up, "messages before each row that are not measured", within(0, 1'000'000));
  d.field("volume", c.volume, "large messages are sent fewer times: about these bytes a row, at least twice",
          within(1_B, largest_given));
  describe_between(d, c.between);
  d.require(!c.sizes.empty(), "\"sizes\" is empty");
}

/// pmtest of SCore between two ranks: messages in PM's own buffers, so nobody copies. A row a size, behind a warm-up.
///  - round_trip: the mean time of a message and its answer, of the same size.
///  - messages: from the first until the answer to the last is there; the receiver gives each buffer back at once.
///  - write, read: from the first until the rank sees that all are done; behind that one alone, which is measured by
///  nobody but observers.
class Pmtest final : public Scenario {
 public:
  explicit Pmtest(PmtestConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 2; }
  Bytes footprint(int /*ranks*/) const override { return largest(); }
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Library& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  Between between() const { return Between(config_.between); }
  Bytes largest() const { return *std::max_element(config_.sizes.begin(), config_.sizes.end()); }
  bool transfers() const { return config_.test == PmTest::write || config_.test == PmTest::read; }
  int iterations(Bytes size) const {
    return static_cast<int>(std::clamp<std::int64_t>(config_.volume / size, 2, std::max(config_.iterations, 2)));
  }
  void round_trips(comm::Rank& rank, report::Recorder& r, Bytes size) const;
  void messages(comm::Rank& rank, report::Recorder& r, Bytes size) const;
  void remote_memory(comm::Rank& rank, report::Recorder& r, Bytes size) const;
  /// The word that all has come: no message of the test.
  static void answer(comm::Rank::Buffered& pm, int peer) {
    while (!pm.get_buffer(peer, 1_B)) pm.wait();
    pm.send_buffer();
  }
  static void await_answer(comm::Rank::Buffered& pm) {
    std::optional<comm::BufferedMessages::Received> m;
    while (!(m = pm.look())) pm.wait();
    pm.release(*m);
  }
  PmtestConfig config_;
};

void Pmtest::fit(comm::World& w) {
  const auto* pm = w.library().facet<comm::BufferedMessages>();
  if (pm == nullptr) throw config::error_at("/library", "the library has no messages in buffers of its own (pm has)");
  expect_ranks(w.library(), config_.between);
  if (!transfers() && largest() > pm->longest())
    throw config::error_at("/scenario/sizes", "messages of at most " + to_string(pm->longest()) + ", the library's " +
                                                  "\"longest\", not " + to_string(largest()));
  for (const int rank : {between().first, between().second})
    w.library().check(rank, between().peer(rank), {Bytes::zero(), transfers() ? largest() : Bytes::zero(), {}, {}, {}});
}

void Pmtest::declare(report::Recorder& r, const comm::Library& c) const {
  if (config_.test == PmTest::round_trip) return;
  r.rate("bandwidth", "bytes", "time");
  const int from = config_.test == PmTest::read ? between().second : between().first;
  for (comm::Ceiling ceiling : c.ceilings(from, between().peer(from), {Bytes::zero(), largest(), {}, {}, {}}))
    r.ceiling({"", ceiling.name, ceiling.rate, ceiling.burst, false});
}

void Pmtest::program(comm::Rank& rank, report::Recorder& r) {
  if (!between().has(rank.id())) return;
  for (const Bytes size : config_.sizes) {
    if (config_.test == PmTest::round_trip)
      round_trips(rank, r, size);
    else if (config_.test == PmTest::messages)
      messages(rank, r, size);
    else if (rank.id() == between().first)
      remote_memory(rank, r, size);
  }
}

void Pmtest::round_trips(comm::Rank& rank, report::Recorder& r, Bytes size) const {
  auto pm = rank.buffered();
  const int peer = between().peer(rank.id()), n = iterations(size);
  const bool begins = rank.id() == between().first;
  Time begin = rank.now();
  for (int i = -config_.warm_up; i < n; ++i) {
    if (i == 0 && begins) {
      begin = rank.now();
      r.begin_account();
    }
    if (begins) pm.send(peer, size);
    pm.release(pm.receive());
    if (!begins) pm.send(peer, size);
  }
  if (!begins) return;
  r.row()
      .bytes("size", size)
      .count("iterations", n)
      .time("round_trip", Time::from_fs((rank.now() - begin) / Time::from_fs(n)))
      .headline({"round_trip", "the mean"});
}

void Pmtest::messages(comm::Rank& rank, report::Recorder& r, Bytes size) const {
  auto pm = rank.buffered();
  const int peer = between().peer(rank.id()), n = iterations(size);
  for (const int many : {config_.warm_up, n}) {
    if (rank.id() == between().second) {
      for (int i = 0; i < many; ++i) pm.release(pm.receive());
      answer(pm, peer);
      continue;
    }
    const Time begin = rank.now();
    const std::int64_t reads = pm.sending_reads();
    if (many == n) r.begin_account();
    for (int i = 0; i < many; ++i) pm.send(peer, size);
    await_answer(pm);
    if (many != n) continue;
    const Time time = rank.now() - begin;
    report::Row& row = r.row().bytes("size", size).count("iterations", n).bytes("bytes", size * n);
    if (reads >= 0) row.count("reads", pm.sending_reads() - reads);  // of cards that count them
    row.time("time", time).time("per_message", Time::from_fs(time / Time::from_fs(n)));
  }
}

void Pmtest::remote_memory(comm::Rank& rank, report::Recorder& r, Bytes size) const {
  auto pm = rank.buffered();
  const int peer = between().peer(rank.id()), n = iterations(size);
  for (const int many : {config_.warm_up, n}) {
    const Time begin = rank.now();
    if (many == n) r.begin_account();
    for (int i = 0; i < many; ++i)
      while (
          !(config_.test == PmTest::write ? pm.write(peer, Bytes::zero(), size) : pm.read(peer, Bytes::zero(), size)))
        pm.wait();
    while (pm.pending() > 0) pm.wait();
    if (many != n) continue;
    const Time time = rank.now() - begin;
    r.row()
        .bytes("size", size)
        .count("iterations", n)
        .bytes("bytes", size * n)
        .time("time", time)
        .time("per_message", Time::from_fs(time / Time::from_fs(n)));
  }
  pm.transfer(config_.test == PmTest::write, peer, size);
}

}  // namespace

ScenarioKind pmtest_scenario() {
  return scenario<Pmtest, PmtestConfig>("pmtest",
                                        "pmtest of SCore: round trips, messages, remote memory, a row a size");
}

}  // namespace tsunagi::scenarios
