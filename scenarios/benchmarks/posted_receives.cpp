// SPDX-License-Identifier: Apache-2.0
#include "scenarios/benchmarks/posted_receives.hpp"

#include <string>

#include "scenarios/two_sided.hpp"

namespace tsunagi::scenarios {

namespace {

constexpr int pair = 2;  // ranks that take part

std::string sent_by(int rank) { return "rank " + std::to_string(rank); }

}  // namespace

void describe(PostedReceivesConfig& c, config::Describer& d) {
  using namespace config;
  d.field("outstanding", c.outstanding, "receives that each rank posts before the first message, each with its own tag",
          within(1, comm::largest_tag + 1));
  d.field("size", c.size, "bytes of a message", within(1_B, largest_given));
  d.field("warm_up", c.warm_up, "round trips before any receive is posted", within(0, 1'000'000));
  d.field("settle", c.settle, "from the last receive's call to the first message: what those calls sent has arrived",
          within(0_s, 1_s));
  describe_between(d, c.between);
}

Bytes PostedReceives::footprint(int /*ranks*/) const { return many(config_.size, config_.outstanding + 1); }

void PostedReceives::fit(comm::World& w) {
  expect_messages(w, 0);
  expect_ranks(w.library(), config_.between);
  expect_tags(w, config_.outstanding);
  for (const int rank : {between().first, between().second})
    w.library().check(rank, between().peer(rank), {{}, footprint(pair), {}, {}});
}

void PostedReceives::program(comm::Rank& rank, report::Recorder& r) {
  if (!between().has(rank.id())) return;
  const bool first = rank.id() == between().first;
  const int peer = between().peer(rank.id());
  comm::Group g = rank.world();
  rank.ledger()->fill(rank.id(), out(), sent_by(rank.id()));
  for (int i = 0; i < config_.warm_up; ++i) {
    if (first) g.send(peer, 0, out());
    g.recv(peer, 0, in(0));
    if (!first) g.send(peer, 0, out());
  }
  rank.meet(line_, pair, [&] { r.begin_account(); });
  const Posted posted = post(rank, g);
  rank.meet(line_, pair, [&] { begin_ = rank.now() + config_.settle; });
  rank.wait_until(begin_);
  take_all(rank, g, posted);
  if (!first) return;
  const auto mean = [](Time all, int n) { return Time::from_fs(all / Time::from_fs(n)); };
  report::Row& row = r.row();
  row.count("outstanding", config_.outstanding).bytes("size", config_.size);
  if (config_.outstanding > 1)
    row.time("gap", mean(posted.last - posted.first, config_.outstanding - 1))
        .time("last_gap", posted.last - posted.before_last);
  row.time("latency", mean(rank.now() - begin_, 2 * config_.outstanding));
}

PostedReceives::Posted PostedReceives::post(comm::Rank& rank, comm::Group& g) const {
  Posted p;
  for (int i = 0; i < config_.outstanding; ++i) {
    rank.ledger()->fill(rank.id(), in(i), "what was there before");
    p.receives.push_back(g.irecv(between().peer(rank.id()), i, in(i)));
    p.before_last = p.last;
    p.last = rank.now();
    if (i == 0) p.first = p.last;
  }
  return p;
}

void PostedReceives::take_all(comm::Rank& rank, comm::Group& g, const Posted& p) const {
  const int peer = between().peer(rank.id());
  const bool first = rank.id() == between().first;
  for (int i = 0; i < config_.outstanding; ++i) {
    if (first) g.send(peer, i, out());
    g.wait(p.receives[static_cast<std::size_t>(i)]);
    rank.ledger()->expect(rank.id(), in(i), sent_by(peer), {}, "posted_receives");
    if (!first) g.send(peer, i, out());
  }
}

ScenarioKind posted_receives_scenario() {
  return scenario<PostedReceives, PostedReceivesConfig>(
      "posted_receives", "receives posted long before their messages: gap between calls, latency");
}

}  // namespace tsunagi::scenarios
