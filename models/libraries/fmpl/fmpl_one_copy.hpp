// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "comm/by_rank.hpp"
#include "comm/steps.hpp"
#include "models/libraries/fmpl/fmpl_config.hpp"
#include "models/libraries/fmpl/fmpl_pending.hpp"
#include "models/libraries/fmpl/fmpl_send_buffer.hpp"

namespace tsunagi::libraries {

/// FMPL's one-copy communication (paper 002, 2.3): a send whose call has waited for its header until `timeout` after it
/// began copies its data to the send buffer of its rank and is complete; they leave from there when the header has
/// come. Where there is no room for them, or no buffer, the send waits on.
class FmplOneCopy {
 public:
  /// Takes its area in all nodes, if there is one. All outlive this.
  FmplOneCopy(const FmplConfig& c, comm::ByRank<ComBufNode>& nodes, const comm::Steps& step);

  /// When a send turns to the buffer, if `waited` has it; Time::max(): it does not.
  Time turns(int rank, const FmplPending& p, const std::vector<comm::Request>& waited) const;
  /// Copies the data of a send for which there is room. It is complete.
  void keep(Fiber& f, int rank, FmplPending& p);
  /// The data of a send that has been kept have left.
  void give_back(int rank, const FmplPending& p) { buffers_[rank].give_back(*p.kept); }
  /// Where the data of a send are.
  std::uint64_t source_of(int rank, const FmplPending& p) const {
    return p.kept ? area_ + unsigned_of(*p.kept) : user_base(rank) + unsigned_of(p.bytes.offset);
  }
  std::uint64_t user_base(int rank) const { return nodes_[rank].user_base(); }

 private:
  std::optional<Bytes> room(int rank, const FmplPending& p) const;

  Time timeout_;
  std::int64_t post_cycles_;
  comm::ByRank<ComBufNode>& nodes_;
  const comm::Steps& step_;
  comm::ByRank<FmplSendBuffer> buffers_;  // by rank
  std::uint64_t area_ = 0;                // of each node
};

}  // namespace tsunagi::libraries
