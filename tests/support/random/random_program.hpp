// SPDX-License-Identifier: Apache-2.0
// Random programs of two-sided messages, collectives and windows that cannot deadlock: a sequence of operations is
// drawn for all ranks, of which each does its part, in that order. Whatever a receive got is found out from its bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "comm/window.hpp"
#include "support/random/random_rank.hpp"

namespace tsunagi::test {

class RandomProgram {
 public:
  /// For so many ranks; lengths around `eager`.
  RandomProgram(int ranks, std::uint64_t seed, Bytes eager, int operations = 60);

  /// Bytes of each rank's memory from 0 on that say something of its own.
  static constexpr Bytes source_size{32768};
  /// What byte `offset` of that says.
  static std::uint8_t byte_of(int rank, std::int64_t offset) {
    return static_cast<std::uint8_t>((offset * 7 + rank * 31 + offset / 251) % 251 + 1);
  }
  /// Rank `r`'s part. `memory`: what its memory says there; null: nobody keeps it.
  void run(comm::Rank& r, const RandomRank::Memory& memory);
  /// What has happened to each rank and when, and what was wrong, a line each.
  std::string report() const;
  std::string text() const;

 private:
  using Kind = RandomOperation::Kind;
  int draw(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  Bytes draw_size();
  int draw_group(int least);
  RandomOperation& add(Kind kind, int group);
  void add_message(int group, int from, int to, bool may_block);
  void add_random();
  void add_exchange(int group);
  void add_split(int group);
  void add_epoch(int group);
  void check_order(std::vector<std::string>& wrong) const;
  bool wild(int group, int rank) const;

  std::mt19937_64 random_;
  Bytes eager_;
  RandomPlan plan_;
  std::vector<RandomRank> ranks_;
};

}  // namespace tsunagi::test
