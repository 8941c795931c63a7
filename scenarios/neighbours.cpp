// SPDX-License-Identifier: Apache-2.0
#include "scenarios/neighbours.hpp"

#include <algorithm>

#include "config/error_at.hpp"
#include "units/checked.hpp"

namespace tsunagi::scenarios {

void describe(NeighboursConfig& c, config::Describer& d) {
  using namespace config;
  d.field("sizes", c.sizes, "message sizes, a row each", within(1_B, largest_given));
  d.field("messages", c.messages, "messages that a rank sends to each neighbour", within(1, 1'000'000));
  d.require(!c.sizes.empty(), "\"sizes\" is empty");
  for (const Bytes size : c.sizes)
    d.require(checked_product(size, 2 * c.messages).has_value(), "\"sizes\" times \"messages\" is too large");
}

Bytes Neighbours::footprint(int /*ranks*/) const {
  return *std::max_element(config_.sizes.begin(), config_.sizes.end()) * 2 * config_.messages;
}

void Neighbours::fit(comm::World& w) {
  comm::Communicator& c = w.library();
  if (!checked_product(footprint(c.ranks()), c.ranks()))
    throw config::error_at("/scenario", "\"sizes\" times \"messages\" of all ranks is too large");
  for (int rank = 0; rank < c.ranks(); ++rank)
    for (const int to : {(rank + 1) % c.ranks(), (rank + c.ranks() - 1) % c.ranks()})
      c.check(rank, to, {{}, footprint(c.ranks()), {}, {}});
}

void Neighbours::declare(report::Recorder& r, const comm::Communicator&) const { r.rate("bandwidth", "bytes", "time"); }

void Neighbours::program(comm::Rank& rank, report::Recorder& r) {
  const int next = (rank.id() + 1) % rank.size();
  const int previous = (rank.id() + rank.size() - 1) % rank.size();
  for (const Bytes size : config_.sizes) {
    // Messages to the next rank lie at even places, those to the one before at odd ones.
    const auto place = [&](int i, int odd) { return comm::Buffer{size * (2 * i + odd), size, {}, {}}; };
    rank.meet(start_line_, [&] {
      start_ = rank.now();
      r.begin_account();
    });
    for (int i = 0; i < config_.messages; ++i) {
      rank.send(next, place(i, 0));
      rank.send(previous, place(i, 1));
    }
    for (int i = 0; i < config_.messages; ++i) {
      rank.recv(previous, place(i, 0));
      rank.recv(next, place(i, 1));
    }
    rank.meet(start_line_, [&] {
      r.row()
          .bytes("size", size)
          .count("messages", 2 * config_.messages)
          .bytes("bytes", size * 2 * config_.messages * rank.size())
          .time("time", rank.now() - start_);
    });
  }
}

std::unique_ptr<Scenario> make_neighbours(const config::AnyConfig& c) {
  return std::make_unique<Neighbours>(c.as<NeighboursConfig>());
}

}  // namespace tsunagi::scenarios
