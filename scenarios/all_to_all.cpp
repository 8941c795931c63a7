// SPDX-License-Identifier: Apache-2.0
#include "scenarios/all_to_all.hpp"

#include <algorithm>

#include "config/error_at.hpp"
#include "units/checked.hpp"

namespace tsunagi::scenarios {

void describe(AllToAllConfig& c, config::Describer& d) {
  using namespace config;
  d.field("source", c.source, "where ranks put from, as the library names places; none: host memory");
  d.field("target", c.target, "where they put to; none: host memory");
  d.field("method", c.method, "the library's way to put; none: its default");
  d.field("sizes", c.sizes, "bytes of each block, a row each", within(1_B, largest_given));
  d.field("iterations", c.iterations, "exchanges a row", within(1, 1'000'000));
  d.require(!c.sizes.empty(), "\"sizes\" is empty");
}

// Enough for any number of ranks that puts can address; `fit` asks the library about the places that are used.
Bytes AllToAll::footprint() const { return *std::max_element(config_.sizes.begin(), config_.sizes.end()); }

std::vector<comm::Put> AllToAll::puts(int rank, Bytes size) const {
  std::vector<comm::Put> out;
  for (int i = 1; i < ranks_; ++i) {
    const int peer = (rank + i) % ranks_;
    // Blocks to send lie in the order of ranks, behind them those received.
    out.push_back({peer, {config_.source, size * peer}, {config_.target, size * (ranks_ + rank)}, size, {}, {}, true});
  }
  return out;
}

void AllToAll::fit(comm::Communicator& c) {
  if (c.puts() == nullptr) throw config::error_at("/scenario", "the library has no prepared puts");
  const std::vector<std::string> known = c.puts()->methods();
  method_ = config_.method.empty() ? known.front() : config_.method;
  check_method(method_, known);
  ranks_ = c.ranks();
  for (const Bytes size : config_.sizes)
    for (int rank = 0; rank < ranks_; ++rank) c.puts()->check(rank, puts(rank, size), method_);
}

void AllToAll::declare(report::Recorder& r) const { r.rate("bandwidth", "bytes", "time"); }

void AllToAll::program(comm::Rank& rank, report::Recorder& r) {
  const auto wait_for_all = [&] { rank.meet(line_, [] {}); };
  for (const Bytes size : config_.sizes) {
    const int number = rank.prepare(puts(rank.id(), size), method_);
    wait_for_all();
    Time total;
    for (int i = 0; i < config_.iterations; ++i) {
      const Time begin = rank.now();
      rank.start(number);
      for (int k = 1; k < ranks_; ++k) rank.await((rank.id() + ranks_ - k) % ranks_, {{}, size, {}, method_});
      rank.finish();
      wait_for_all();
      total += rank.now() - begin;
    }
    rank.forget();
    if (rank.id() != 0) continue;
    r.row()
        .count("ranks", ranks_)
        .bytes("size", size)
        .bytes("bytes", size * (ranks_ - 1))
        .time("time", Time::from_fs(total / Time::from_fs(config_.iterations)));
  }
}

std::unique_ptr<Scenario> make_all_to_all(const config::AnyConfig& c) {
  return std::make_unique<AllToAll>(c.as<AllToAllConfig>());
}

}  // namespace tsunagi::scenarios
