// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/error_at.hpp"
#include "scenarios/methods.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/two_sided.hpp"
#include "units/checked.hpp"

namespace tsunagi::scenarios {

namespace {

/// Who puts what to whom: buffers to and fro; that of rank 0 down a binomial tree to all; a block of each to all.
enum class PutPattern : std::uint8_t { ping_pong, broadcast, allgather };

struct PreparedPutsConfig {
  PutPattern pattern = PutPattern::ping_pong;
  std::vector<Bytes> sizes = {8_B};
  std::string memory;
  std::string method;
  int ranks = 0;
  int iterations = 10;
  int warm_up = 2;
};

void describe(PreparedPutsConfig& c, config::Describer& d) {
  using namespace config;
  const auto choice = [](std::string_view name, PutPattern p, std::string_view doc) {
    return Choice{name, static_cast<std::int64_t>(p), doc};
  };
  d.choice("pattern", c.pattern,
           {choice("ping_pong", PutPattern::ping_pong, "to and fro between ranks 0 and 1, each what it has"),
            choice("broadcast", PutPattern::broadcast, "that of rank 0 down a binomial tree to all"),
            choice("allgather", PutPattern::allgather, "a block of each rank to all, at once")},
           "who puts what to whom");
  d.field("sizes", c.sizes, "bytes of a put, a row each", within(1_B, largest_given));
  d.field("memory", c.memory, "where they lie, as the library names places (\"gpu0\"); none: host memory");
  d.field("method", c.method, "the library's way to put; none: its default");
  d.field("ranks", c.ranks, "the first so many ranks take part, of the ping-pong two; 0: all", within(0, 1'000'000));
  d.field("iterations", c.iterations, "times that are timed", within(1, 1'000'000));
  d.field("warm_up", c.warm_up, "times before that", within(0, 1'000'000));
  d.require(!c.sizes.empty(), "\"sizes\" is empty");
  d.require(c.ranks != 1, "\"ranks\" is 1: nobody to put to");
}

/// Communication by puts that are prepared once and started again and again, and by the notifications behind their
/// data. A rank that has started its puts waits until they are sent and for the notifications of all that put to it;
/// who passes on what it gets, first for those. A row a size: of the ping-pong half a round trip, else the mean time
/// from a common start until the last rank is done.
class PreparedPuts final : public Scenario {
 public:
  explicit PreparedPuts(PreparedPutsConfig c) : config_(std::move(c)) {}
  int ranks() const override { return std::max(config_.ranks, 2); }
  Bytes footprint(int ranks) const override;
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Library& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  /// The puts of a rank, and the ranks that put to it.
  std::vector<comm::Put> puts(int rank, Bytes size) const;
  std::vector<int> sources(int rank) const;
  void one_row(comm::Rank& rank, report::Recorder& r, Bytes size);
  void once(comm::Rank& rank, int number, Bytes size) const;

  PreparedPutsConfig config_;
  int ranks_ = 0;  // that take part
  comm::StartLine line_;
  Time begin_, total_;
};

Bytes PreparedPuts::footprint(int ranks) const {
  const Bytes largest = *std::max_element(config_.sizes.begin(), config_.sizes.end());
  switch (config_.pattern) {
    case PutPattern::ping_pong:
      return many(largest, 2);
    case PutPattern::broadcast:
      return largest;
    case PutPattern::allgather:
      break;
  }
  return many(largest, config_.ranks == 0 ? ranks : config_.ranks);
}

std::vector<comm::Put> PreparedPuts::puts(int rank, Bytes size) const {
  std::vector<comm::Put> out;
  const auto put = [&](int peer, Bytes from, Bytes to) {
    comm::Put p{peer, {config_.memory, from}, {config_.memory, to}, size};
    p.notify = true;
    out.push_back(p);
  };
  switch (config_.pattern) {
    case PutPattern::ping_pong:
      put(1 - rank, Bytes::zero(), size);
      break;
    case PutPattern::broadcast: {
      // To the ranks that differ in one bit above the rank's highest one; the lowest has the most to pass on to.
      int bit = 1;
      while (bit <= rank) bit *= 2;
      for (; rank + bit < ranks_; bit *= 2) put(rank + bit, Bytes::zero(), Bytes::zero());
      break;
    }
    case PutPattern::allgather:
      for (int i = 1; i < ranks_; ++i) put((rank + i) % ranks_, size * rank, size * rank);
      break;
  }
  return out;
}

std::vector<int> PreparedPuts::sources(int rank) const {
  if (config_.pattern == PutPattern::ping_pong) return {1 - rank};
  std::vector<int> out;
  if (config_.pattern == PutPattern::allgather) {
    for (int i = 1; i < ranks_; ++i) out.push_back((rank + ranks_ - i) % ranks_);
  } else if (rank > 0) {
    int bit = 1;
    while (bit * 2 <= rank) bit *= 2;
    out.push_back(rank - bit);
  }
  return out;
}

void PreparedPuts::fit(comm::World& w) {
  comm::Library& c = w.library();
  if (c.facet<comm::Puts>() == nullptr) throw config::error_at("/scenario", "the library has no prepared puts");
  const std::vector<std::string> known = c.facet<comm::Puts>()->methods();
  if (config_.method.empty()) config_.method = known.front();
  check_method(config_.method, known, "/scenario/method");
  ranks_ = config_.pattern == PutPattern::ping_pong ? 2 : config_.ranks == 0 ? c.ranks() : config_.ranks;
  for (int rank = 0; rank < ranks_; ++rank)
    for (const Bytes size : config_.sizes)
      if (const auto its = puts(rank, size); !its.empty()) c.facet<comm::Puts>()->check(rank, its, config_.method);
}

void PreparedPuts::declare(report::Recorder& r, const comm::Library&) const {
  if (config_.pattern == PutPattern::ping_pong)
    r.rate("bandwidth", "size", "latency");
  else
    r.rate("bandwidth", "size", "time");
}

void PreparedPuts::program(comm::Rank& rank, report::Recorder& r) {
  if (rank.id() >= ranks_) return;
  for (const Bytes size : config_.sizes) one_row(rank, r, size);
}

void PreparedPuts::once(comm::Rank& rank, int number, Bytes size) const {
  const auto await_all = [&] {
    for (const int from : sources(rank.id())) rank.await(from, {Bytes::zero(), size, config_.memory, config_.method});
  };
  const bool passes_on = config_.pattern == PutPattern::broadcast || rank.id() == 1;
  if (config_.pattern != PutPattern::allgather && passes_on) await_all();
  if (number >= 0) {
    rank.start(number);
    rank.finish();
  }
  if (config_.pattern == PutPattern::allgather || !passes_on) await_all();
}

void PreparedPuts::one_row(comm::Rank& rank, report::Recorder& r, Bytes size) {
  const std::vector<comm::Put> its = puts(rank.id(), size);
  const int number = its.empty() ? -1 : rank.prepare(its, config_.method);
  const bool to_and_fro = config_.pattern == PutPattern::ping_pong;
  for (int i = -config_.warm_up; i < config_.iterations; ++i) {
    // Round trips follow each other.
    if (!to_and_fro || i <= 0)
      rank.meet(line_, ranks_, [&] {
        begin_ = rank.now();
        if (i == 0) r.begin_account();
      });
    once(rank, number, size);
    if (to_and_fro && (i < 0 || i + 1 < config_.iterations)) continue;
    rank.meet(line_, ranks_, [&] {
      if (i >= 0) total_ += rank.now() - begin_;
    });
  }
  if (number >= 0) rank.forget();
  rank.meet(line_, ranks_, [&] {
    report::Row& row = r.row();
    if (!to_and_fro) row.count("ranks", ranks_);
    row.bytes("size", size).count("iterations", config_.iterations);
    row.time(to_and_fro ? "latency" : "time",
             Time::from_fs(total_ / Time::from_fs(config_.iterations * (to_and_fro ? 2 : 1))));
    total_ = Time::zero();
  });
}

}  // namespace

ScenarioKind prepared_puts_scenario() {
  return scenario<PreparedPuts, PreparedPutsConfig>(
      "prepared_puts", "ping-pong, broadcast, allgather by prepared puts and notifications: time a size");
}

}  // namespace tsunagi::scenarios
