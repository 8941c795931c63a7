// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "comm/by_rank.hpp"
#include "comm/steps.hpp"
#include "models/libraries/sr8000/combuf_node.hpp"

namespace tsunagi::libraries {

/// Who may write to whose remote DMA fields: a rank asks the kernel for it by combuf_get_sendright before its first
/// transfer to a peer, once (paper 002, 6.1: the first send and the first receive take longer).
class SendRights {
 public:
  /// `cost`: of the call. All outlive this.
  SendRights(const comm::ByRank<ComBufNode>& nodes, Time cost, const comm::Steps& step)
      : nodes_(nodes), cost_(cost), step_(step), has_(nodes.size() * nodes.size()) {}
  void acquire(Fiber& f, int rank, int peer) {
    const auto at = static_cast<std::size_t>(rank) * nodes_.size() + static_cast<std::size_t>(peer);
    if (has_[at]) return;
    has_[at] = true;
    if (cost_ == Time::zero()) return;
    step_(f, rank, "combuf_get_sendright", [&] { nodes_[rank].core().compute(f, cost_); });
  }

 private:
  const comm::ByRank<ComBufNode>& nodes_;
  Time cost_;
  const comm::Steps& step_;
  std::vector<bool> has_;  // by rank and peer
};

}  // namespace tsunagi::libraries
