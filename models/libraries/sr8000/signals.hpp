// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "comm/by_rank.hpp"
#include "models/libraries/sr8000/combuf_node.hpp"

namespace tsunagi::libraries {

/// Words by which ranks tell each other that they have come somewhere: a kick of a transfer control word that was built
/// before the run ("TCW reuse send", paper 002, 5.1 and 5.2), which nobody waits for. Each rank has a word of every
/// other one, so that none is written before it has been read, as long as who was told answers in some way.
class Signals {
 public:
  /// Takes memory of the nodes, which outlive this.
  explicit Signals(comm::ByRank<ComBufNode>& nodes);
  /// Rank `from` tells `to`.
  void tell(Fiber& f, int from, int to);
  /// Rank `at` returns when `from` has told it once more than it has heard.
  void hear(Fiber& f, int at, int from);

 private:
  /// Of one rank to another.
  struct Way {
    std::uint64_t told = 0;
    std::uint64_t heard = 0;
  };
  Way& way(int from, int to) {
    return ways_[static_cast<std::size_t>(from) * nodes_.size() + static_cast<std::size_t>(to)];
  }
  comm::ByRank<ComBufNode>& nodes_;
  std::vector<Way> ways_;
  // Of each node, by peer:
  std::uint64_t words_ = 0;    // that peers write
  std::uint64_t sources_ = 0;  // what it writes
  std::uint64_t tcws_ = 0;
  int field_ = -1;
};

}  // namespace tsunagi::libraries
