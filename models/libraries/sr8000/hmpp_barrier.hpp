// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "comm/by_rank.hpp"
#include "models/libraries/sr8000/combuf_node.hpp"

namespace tsunagi::libraries {

/// hmpp_barrier of Hitachi's remote DMA library where the hardware barrier can be used (paper 002, 4.3): one store into
/// the adapter's register, and a poll of the word that the adapter writes when all have come. Its conditions are those
/// of the hardware broadcast (4.2): ranks on nodes of their own, which fill a box; here a partition is nobody else's.
///
/// A colour belongs to a group of ranks, and to one of its uses; there are 8, which those have that ask first.
class HmppBarrier {
 public:
  /// `cycles`: of the core, for a call beside the store. `nodes` outlive this.
  HmppBarrier(comm::ByRank<ComBufNode>& nodes, const Machine& m, std::int64_t cycles);
  /// Why these ranks cannot use it so many times; empty: they can, they have the colours from now on.
  std::string refusal(const std::vector<int>& ranks, int uses);
  /// The network has such barriers at all.
  bool has_hardware() const { return crossbars_; }
  /// Why not: their nodes fill no box;
  std::string box_refusal(const std::vector<int>& ranks) const;
  /// or others have the colours.
  std::string colour_refusal(const std::vector<int>& ranks, int uses);
  /// The colour of a use (0, 1, ...) of theirs.
  int colour(const std::vector<int>& ranks, int use);
  /// World rank `rank`, one of `ranks`, comes.
  void come(Fiber& f, const std::vector<int>& ranks, int rank, int colour);
  /// Returns when all have.
  void wait(Fiber& f, int rank, int colour);
  /// The corners of the box of nodes that the ranks fill.
  std::pair<std::uint32_t, std::uint32_t> corners(const std::vector<int>& ranks) const;

 private:
  comm::ByRank<ComBufNode>& nodes_;
  bool crossbars_;  // the machine's network has barriers
  std::int64_t cycles_;
  std::map<std::pair<std::vector<int>, int>, int> colours_;
  comm::ByRank<std::array<std::uint64_t, sr8000::colours>> last_;  // what each node's words said last
};

}  // namespace tsunagi::libraries
