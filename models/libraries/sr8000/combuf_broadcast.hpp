// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/libraries/sr8000/combuf_node.hpp"

namespace tsunagi::libraries {

/// Static buffers at the same place of all nodes, which hardware broadcasts ask for (paper 002, 4.2), and a flag of
/// each behind what comes into it.
class ComBufBroadcast {
 public:
  /// So many buffers of `size` at each node. `nodes` outlive this.
  ComBufBroadcast(std::vector<ComBufNode>& nodes, Bytes size, int buffers, const std::string& what);
  /// A buffer, by its number.
  std::uint64_t buffer(int number) const { return buffers_ + unsigned_of(size_) * static_cast<std::uint64_t>(number); }
  /// Where its flag says whose broadcast is there (flag_of).
  std::uint64_t flag(int number) const { return flags_ + flag_distance * static_cast<std::uint64_t>(number); }
  /// Rank `rank` has `n` bytes of its buffer sent to those of all nodes of a box, between these corners.
  void start(comm::Fiber& f, int rank, std::pair<std::uint32_t, std::uint32_t> corners, int number, Bytes n);

 private:
  static constexpr std::uint64_t flag_distance = 64;
  std::vector<ComBufNode>& nodes_;
  Bytes size_;
  // Of each node, by number:
  std::uint64_t buffers_ = 0;
  std::uint64_t flags_ = 0;
  std::uint64_t tcws_ = 0;
  int buffer_field_ = -1;
  int flag_field_ = -1;
};

}  // namespace tsunagi::libraries
