// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/fmpl/fmpl_one_copy.hpp"

#include <algorithm>

namespace tsunagi::libraries {

FmplOneCopy::FmplOneCopy(const FmplConfig& c, comm::ByRank<ComBufNode>& nodes, const comm::Steps& step)
    : timeout_(c.timeout),
      post_cycles_(c.post_cycles),
      nodes_(nodes),
      step_(step),
      buffers_(nodes.size(), FmplSendBuffer(c.send_buffer)) {
  if (c.send_buffer == Bytes::zero()) return;
  for (ComBufNode& n : nodes) area_ = n.take("send buffer", c.send_buffer).base;
}

std::optional<Bytes> FmplOneCopy::room(int rank, const FmplPending& p) const {
  return buffers_[rank].room(std::max(p.bytes.size, FmplSendBuffer::unit));
}

Time FmplOneCopy::turns(int rank, const FmplPending& p, const std::vector<comm::Request>& waited) const {
  if (p.kept || !p.is_of(waited) || !room(rank, p)) return Time::max();
  return p.request.at(comm::Milestone::posted) + timeout_;
}

void FmplOneCopy::keep(Fiber& f, int rank, FmplPending& p) {
  const ComBufNode& n = nodes_[rank];
  p.kept = room(rank, p);
  buffers_[rank].take(*p.kept, std::max(p.bytes.size, FmplSendBuffer::unit));
  step_(f, rank, "copy to the send buffer", [&] {
    n.core().copy(f, n.memory(), source_of(rank, p), n.user_base() + unsigned_of(p.bytes.offset), p.bytes.size);
    n.core().execute(f, "note the send", post_cycles_);
  });
  step_.copied(comm::Copier::core, p.bytes.size);
  p.request.reach(comm::Milestone::completed, f.now());
}

}  // namespace tsunagi::libraries
