// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "comm/by_rank.hpp"
#include "models/libraries/sr8000/combuf_node.hpp"

namespace tsunagi::libraries {

/// Static buffers at the same place of all nodes, which hardware broadcasts ask for (paper 002, 4.2), and a flag of
/// each behind what comes into it. A transfer control word is built anew only if it is to say something else than last
/// time.
class ComBufBroadcast {
 public:
  /// So many buffers of `size` at each node. `nodes` outlive this.
  ComBufBroadcast(comm::ByRank<ComBufNode>& nodes, Bytes size, int buffers, const std::string& what);
  Bytes size() const { return size_; }
  /// A buffer, by its number.
  std::uint64_t buffer(int number) const { return buffers_ + unsigned_of(size_) * static_cast<std::uint64_t>(number); }
  /// Where its flag says whose broadcast is there (flag_of).
  std::uint64_t flag(int number) const { return flags_ + flag_distance * static_cast<std::uint64_t>(number); }
  /// Rank `rank` has `n` bytes of its buffer sent to those of all nodes of a box, between these corners,
  void start(Fiber& f, int rank, std::pair<std::uint32_t, std::uint32_t> corners, int number, Bytes n);
  /// or to that of rank `to`.
  void send(Fiber& f, int rank, int to, int number, Bytes n);

 private:
  static constexpr std::uint64_t flag_distance = 64;
  sr8000::Tcw tcw(std::uint32_t node, int number, Bytes n) const;
  /// Kicks the rank's TCW number `i`.
  void kick(Fiber& f, int rank, std::uint64_t i, const sr8000::Tcw& t);

  comm::ByRank<ComBufNode>& nodes_;
  Bytes size_;
  comm::ByRank<std::map<std::uint64_t, sr8000::Tcw>> built_;  // of each rank, by number
  // Of each node, by buffer; TCWs by buffer and rank, behind those of broadcasts:
  std::uint64_t buffers_ = 0;
  std::uint64_t flags_ = 0;
  std::uint64_t tcws_ = 0;
  int buffer_field_ = -1;
  int flag_field_ = -1;
};

}  // namespace tsunagi::libraries
