// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "comm/collectives/catalog.hpp"
#include "scenarios/scenario.hpp"

namespace tsunagi::scenarios {

/// What scenarios of one collective each let users choose; not all of them all of it.
struct CollectiveConfig {
  std::vector<Bytes> sizes = {8_B};
  std::vector<std::string> algorithms;
  Bytes segment = comm::Choice().segment;
  int radix = comm::Choice().radix;
  comm::PartnerOrder order = comm::PartnerOrder::own;
  std::string memory;
  int root = 0;
  bool rotate = false;
  std::vector<std::int64_t> ranks = {0};
  bool back_to_back = false;
  int iterations = 3;
  int warm_up = 1;
};
/// "sizes", of which `what` says what they are, "memory", "algorithms", "segment" and "radix".
void describe_sizes(CollectiveConfig& c, config::Describer& d, std::string_view what);
/// "root" and "rotate".
void describe_root(CollectiveConfig& c, config::Describer& d);
/// "ranks", "back_to_back", "iterations" and "warm_up".
void describe_iterations(CollectiveConfig& c, config::Describer& d);

/// The first ranks of the world do one collective call again and again, each time from a common start or, "back to
/// back", all times from one. A row an algorithm, number of ranks and size: the mean time until the last rank is done,
/// and of the ranks' own mean times the least and the most. What every rank has behind each call is checked.
class MeasuredCollective final : public Scenario {
 public:
  MeasuredCollective(comm::Collective kind, CollectiveConfig c);
  int ranks() const override { return 1; }
  Bytes footprint(int ranks) const override;
  Bytes scratch(int ranks) const override;
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Library& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  /// What all ranks measure of one row.
  struct Measured {
    Time begin;
    Time total;
    std::vector<Time> of_rank;
  };
  void check_memory(const comm::Library& c, int ranks) const;
  comm::CollectiveCall call(int ranks, Bytes size, int root) const;
  int root(int ranks, int iteration) const;
  /// What a row is about.
  struct Setting {
    std::string name;               // of an algorithm; empty: the library's choice
    const comm::Algorithm* chosen;  // as long as there is enough memory for it, which is what it gets:
    Bytes scratch;
    int ranks;
    Bytes size;
  };
  /// With the `i`th of the algorithms that are asked for.
  Setting setting(comm::World& w, int ranks, Bytes size, std::size_t i) const;
  /// Whether all ranks meet before call `i`, or behind it; those before 0 warm up.
  bool starts(int i) const { return !config_.back_to_back || i <= 0; }
  bool ends(int i) const { return !config_.back_to_back || i < 0 || i == config_.iterations - 1; }
  void one_row(comm::Rank& rank, report::Recorder& r, const Setting& s);
  void report(report::Row& row, const Setting& s) const;

  comm::Collective kind_;
  CollectiveConfig config_;
  std::vector<Setting> settings_;
  Measured measured_;
  std::map<int, comm::StartLine> lines_;  // by how many ranks meet there
};

}  // namespace tsunagi::scenarios
