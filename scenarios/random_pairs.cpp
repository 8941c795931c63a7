// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "config/error_at.hpp"
#include "report/recorder.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/traffic/partners.hpp"
#include "scenarios/two_sided.hpp"
#include "stats/evenness.hpp"
#include "units/checked.hpp"

namespace tsunagi::scenarios {

namespace {

struct RandomPairsConfig {
  Pairing pairing = Pairing::matching;
  std::vector<Bytes> sizes = {64_KiB};
  int messages = 1;
  int rounds = 10;
  std::int64_t seed = 1;
  int ranks = 0;
};

/// "mean_rate" and "min_rate", from a row's "bytes" and what `write_rates` says.
void declare_rates(report::Recorder& r) {
  r.rate("mean_rate", "bytes", "mean");
  r.rate("min_rate", "bytes", "slowest");
}

/// Of the times in which ranks moved the row's "bytes" each: the longest, that of the mean rate, and Jain's index.
void write_rates(report::Row& row, const std::vector<Time>& times) {
  const stats::Evenness e = stats::evenness(times);
  row.time("slowest", e.slowest).time("mean", e.mean).count("jain_ppm", e.jain_ppm);
}

void describe(RandomPairsConfig& c, config::Describer& d) {
  using namespace config;
  d.choice(
      "pairing", c.pairing,
      {{"matching", static_cast<std::int64_t>(Pairing::matching), "pairs whose ranks send to each other"},
       {"permutation", static_cast<std::int64_t>(Pairing::permutation), "each sends to one and gets from another one"}},
      "how partners are drawn");
  d.field("sizes", c.sizes, "bytes of a message, a row each", within(1_B, largest_given));
  d.field("messages", c.messages, "messages that a rank sends in a round", within(1, 1'000'000));
  d.field("rounds", c.rounds, "rounds, each with other partners", within(1, 1'000'000));
  d.field("seed", c.seed, "seed of this scenario's random streams", at_least(std::int64_t{0}));
  describe_ranks(d, c.ranks);
  d.require(c.ranks != 1, "one rank alone has no partner");
  d.require(!c.sizes.empty(), "\"sizes\" is empty");
}

/// In each round, which all begin together, every rank exchanges messages with partners drawn anew, all at once. A row
/// a size: the mean time until the last rank is done, and, from the times of all ranks in all rounds, the slowest, the
/// time of the mean rate, and Jain's index of fairness of the rates, in a million.
class RandomPairs final : public Scenario {
 public:
  explicit RandomPairs(RandomPairsConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 2; }
  Bytes footprint(int ranks) const override;
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Library& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  void round(comm::Rank& rank, comm::Group& g, Bytes size);
  void report(report::Row& row, int ranks, Bytes size);

  RandomPairsConfig config_;
  int tags_ = 1;  // of a round's messages: one each where a tag stands for one message
  // What all ranks share of a round, and of a row.
  std::vector<Partners> partners_;
  Time begin_;
  Time total_;
  std::vector<Time> times_;
  comm::StartLine line_;
};

/// What is sent, and behind it what arrives.
Bytes RandomPairs::footprint(int) const {
  return many(*std::max_element(config_.sizes.begin(), config_.sizes.end()), 2 * config_.messages);
}

void RandomPairs::fit(comm::World& w) {
  expect_messages(w, config_.ranks);
  tags_ = w.messages().queues() ? 1 : config_.messages;
  expect_tags(w, tags_);
  const Bytes largest = *std::max_element(config_.sizes.begin(), config_.sizes.end());
  expect_sends_first(w, {{}, largest, {}, {}}, tags_, config_.messages / tags_);
}

void RandomPairs::declare(report::Recorder& r, const comm::Library&) const { declare_rates(r); }

void RandomPairs::program(comm::Rank& rank, report::Recorder& r) {
  const int ranks = taking_part(config_.ranks, rank.size());
  if (rank.id() >= ranks) return;
  comm::Group group = rank.first(ranks);
  for (const Bytes size : config_.sizes) {
    for (int i = 0; i < config_.rounds; ++i) {
      rank.meet(line_, ranks, [&] {
        stats::RandomStream random(static_cast<std::uint64_t>(config_.seed),
                                   "random pairs, round " + std::to_string(i));
        partners_ = draw_partners(config_.pairing, ranks, random);
        begin_ = rank.now();
        if (i == 0) r.begin_account();
      });
      round(rank, group, size);
      rank.meet(line_, ranks, [&] { total_ += rank.now() - begin_; });
    }
    rank.meet(line_, ranks, [&] { report(r.row(), ranks, size); });
  }
}

void RandomPairs::round(comm::Rank& rank, comm::Group& g, Bytes size) {
  const Partners with = partners_[static_cast<std::size_t>(rank.id())];
  if (with.to < 0) return;
  const Bytes all = size * config_.messages;
  const comm::Buffer out{{}, all, {}, {}};
  const comm::Buffer in{all, all, {}, {}};
  rank.ledger()->fill(rank.id(), out, "rank " + std::to_string(rank.id()));
  rank.ledger()->fill(rank.id(), in, "what was there before");
  std::vector<comm::Request> requests;
  for (int i = 0; i < config_.messages; ++i)
    requests.push_back(g.irecv(with.from, i % tags_, comm::part(in, size * i, size)));
  for (int i = 0; i < config_.messages; ++i)
    requests.push_back(g.isend(with.to, i % tags_, comm::part(out, size * i, size)));
  g.wait_all(requests);
  times_.push_back(rank.now() - begin_);
  rank.ledger()->expect(rank.id(), in, "rank " + std::to_string(with.from), {}, "random_pairs");
}

void RandomPairs::report(report::Row& row, int ranks, Bytes size) {
  row.count("ranks", ranks).bytes("size", size).bytes("bytes", size * config_.messages);
  row.time("time", Time::from_fs(total_ / Time::from_fs(config_.rounds)));
  write_rates(row, times_);
  row.headline({"mean_rate", "the mean of what each rank gets"});
  total_ = {};
  times_.clear();
}

}  // namespace

ScenarioKind random_pairs_scenario() {
  return scenario<RandomPairs, RandomPairsConfig>("random_pairs",
                                                  "random partners exchange messages: rates, fairness a size");
}

}  // namespace tsunagi::scenarios
