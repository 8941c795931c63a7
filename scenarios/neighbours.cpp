// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "config/error_at.hpp"
#include "scenarios/between.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/two_sided.hpp"
#include "units/checked.hpp"

namespace tsunagi::scenarios {

namespace {

struct NeighboursConfig {
  std::vector<Bytes> sizes = {64_KiB};
  int messages = 16;
  std::vector<std::int64_t> between;
};

void describe(NeighboursConfig& c, config::Describer& d) {
  using namespace config;
  d.field("sizes", c.sizes, "message sizes, a row each", within(1_B, largest_given));
  d.field("messages", c.messages, "messages that a rank sends to each neighbour", within(1, 1'000'000));
  d.field("between", c.between, "the ranks of the ring, in its order; none: all", within(0, 1'000'000));
  d.require(c.between.size() != 1, "\"between\" is one rank alone");
  require_different(d, c.between);
  d.require(!c.sizes.empty(), "\"sizes\" is empty");
  for (const Bytes size : c.sizes)
    d.require(checked_product(size, 2 * c.messages).has_value(), "\"sizes\" times \"messages\" is too large");
}

/// Every rank streams messages to the next rank and to the one before it, in turn, and receives from both; behind the
/// last rank comes the first one. By a library of two-sided messages alone receives are posted first. One row a size:
/// the bytes that all ranks sent, from the common start until all have arrived.
class Neighbours final : public Scenario {
 public:
  explicit Neighbours(NeighboursConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 2; }
  Bytes footprint(int /*ranks*/) const override;
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Library& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  /// The ranks before and behind one.
  struct Place {
    int previous = 0;
    int next = 0;
  };
  /// Nothing: the rank does not take part.
  std::optional<Place> place_of(int rank) const;
  void stream(comm::Rank& rank, Place at, Bytes size) const;
  void stream_by_messages(comm::Rank& rank, Place at, Bytes size) const;
  /// Messages to the next rank lie at even places, those to the one before at odd ones.
  static comm::Buffer buffer(Bytes size, int i, int odd) { return {size * (2 * i + odd), size, {}, {}}; }

  NeighboursConfig config_;
  std::vector<int> ring_;
  bool direct_ = true;
  int tags_ = 1;  // of messages to one side: one each where a tag stands for one message
  Time start_;
  comm::StartLine start_line_;
};

Bytes Neighbours::footprint(int /*ranks*/) const {
  return *std::max_element(config_.sizes.begin(), config_.sizes.end()) * 2 * config_.messages;
}

void Neighbours::fit(comm::World& w) {
  comm::Library& c = w.library();
  expect_ranks(c, config_.between);
  ring_.assign(config_.between.begin(), config_.between.end());
  for (int rank = 0; config_.between.empty() && rank < c.ranks(); ++rank) ring_.push_back(rank);
  if (!checked_product(footprint(c.ranks()), static_cast<std::int64_t>(ring_.size())))
    throw config::error_at("/scenario", "\"sizes\" times \"messages\" of all ranks is too large");
  const Bytes largest = *std::max_element(config_.sizes.begin(), config_.sizes.end());
  const comm::Buffer last = buffer(largest, config_.messages - 1, 1);
  for (const int rank : ring_)
    for (const int to : {place_of(rank)->next, place_of(rank)->previous}) c.check(rank, to, last);
  direct_ = c.direct();
  if (direct_) return expect_received(c, ring_.size() == 2 ? 2 * config_.messages : config_.messages);
  tags_ = w.messages().queues() ? 1 : config_.messages;
  expect_tags(w, 2 * tags_);
  expect_sends_first(w, {{}, largest, {}, {}}, 2 * tags_, config_.messages / tags_);
}

void Neighbours::declare(report::Recorder& r, const comm::Library&) const { r.rate("bandwidth", "bytes", "time"); }

std::optional<Neighbours::Place> Neighbours::place_of(int rank) const {
  const auto at = std::find(ring_.begin(), ring_.end(), rank);
  if (at == ring_.end()) return std::nullopt;
  return Place{at == ring_.begin() ? ring_.back() : *(at - 1), at + 1 == ring_.end() ? ring_.front() : *(at + 1)};
}

void Neighbours::program(comm::Rank& rank, report::Recorder& r) {
  const std::optional<Place> at = place_of(rank.id());
  if (!at) return;
  const int ranks = static_cast<int>(ring_.size());
  for (const Bytes size : config_.sizes) {
    rank.meet(start_line_, ranks, [&] {
      start_ = rank.now();
      r.begin_account();
    });
    direct_ ? stream(rank, *at, size) : stream_by_messages(rank, *at, size);
    rank.meet(start_line_, ranks, [&] {
      r.row()
          .bytes("size", size)
          .count("messages", 2 * config_.messages)
          .bytes("bytes", size * 2 * config_.messages * ranks)
          .time("time", rank.now() - start_);
    });
  }
}

void Neighbours::stream(comm::Rank& rank, Place at, Bytes size) const {
  for (int i = 0; i < config_.messages; ++i) {
    rank.send(at.next, buffer(size, i, 0));
    rank.send(at.previous, buffer(size, i, 1));
  }
  for (int i = 0; i < config_.messages; ++i) {
    rank.recv(at.previous, buffer(size, i, 0));
    rank.recv(at.next, buffer(size, i, 1));
  }
}

void Neighbours::stream_by_messages(comm::Rank& rank, Place at, Bytes size) const {
  comm::Group g = rank.world();
  const auto tag = [&](int i, int odd) { return 2 * (i % tags_) + odd; };
  std::vector<comm::Request> all;
  for (int i = 0; i < config_.messages; ++i) {
    all.push_back(g.irecv(at.previous, tag(i, 0), buffer(size, i, 0)));
    all.push_back(g.irecv(at.next, tag(i, 1), buffer(size, i, 1)));
  }
  for (int i = 0; i < config_.messages; ++i) {
    all.push_back(g.isend(at.next, tag(i, 0), buffer(size, i, 0)));
    all.push_back(g.isend(at.previous, tag(i, 1), buffer(size, i, 1)));
  }
  g.wait_all(all);
}

}  // namespace

ScenarioKind neighbours_scenario() {
  return scenario<Neighbours, NeighboursConfig>(
      "neighbours", "every rank streams to the next and the previous one: bandwidth of all");
}

}  // namespace tsunagi::scenarios
