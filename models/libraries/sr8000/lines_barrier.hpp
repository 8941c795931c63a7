// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "comm/by_rank.hpp"
#include "comm/steps.hpp"
#include "models/libraries/sr8000/signals.hpp"

namespace tsunagi::libraries {

/// Ranks of a group whose nodes follow each other on a line along the network's first dimension.
struct NodeLine {
  std::vector<int> ranks;  // world ranks, by node
  int leader() const { return ranks.front(); }
};

/// Which lines the nodes of ranks make up; none: one has nodes of others between them, or the network has no lines.
std::vector<NodeLine> lines_of(const comm::ByRank<ComBufNode>& nodes, std::vector<int> ranks);

/// hmpp_barrier where the nodes fill no box (paper 002, 4.3: hardware broadcast and remote DMA combined by software),
/// line by line: the ranks of a line tell its leader by remote DMA that they have come, the leaders the first of them,
/// that one tells them when all have, and each releases its line by a hardware broadcast.
class LinesBarrier {
 public:
  /// Takes memory of the nodes. All outlive this.
  LinesBarrier(comm::ByRank<ComBufNode>& nodes, Signals& signals, const comm::Steps& step);
  /// World rank `rank` comes; returns when all of the lines have.
  void run(Fiber& f, const std::vector<NodeLine>& lines, int rank);

 private:
  void release(Fiber& f, const NodeLine& line);
  comm::ByRank<ComBufNode>& nodes_;
  Signals& signals_;
  const comm::Steps& step_;
  std::vector<std::uint64_t> released_;              // by leader: how often
  comm::ByRank<sr8000::Tcw> built_;                  // by leader
  comm::ByRank<std::map<int, std::uint64_t>> last_;  // of each rank: what its word of a leader said last
  // Of each node:
  std::uint64_t words_ = 0;  // by leader
  std::uint64_t source_ = 0;
  std::uint64_t tcw_ = 0;
  int field_ = -1;
};

}  // namespace tsunagi::libraries
