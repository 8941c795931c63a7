// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/sr8000/combuf_broadcast.hpp"

namespace tsunagi::libraries {

ComBufBroadcast::ComBufBroadcast(comm::ByRank<ComBufNode>& nodes, Bytes size, int buffers, const std::string& what)
    : nodes_(nodes), size_(size), built_(nodes.size()) {
  const auto each = static_cast<std::int64_t>(nodes.size()) + 1;
  for (ComBufNode& n : nodes) {
    buffer_field_ = n.take_field(what, size * buffers, &buffers_);
    flag_field_ = n.take_field("flags of " + what, Bytes(flag_distance) * buffers, &flags_);
    tcws_ = n.take("TCWs of " + what, sr8000::Tcw::size * buffers * each).base;
  }
}

sr8000::Tcw ComBufBroadcast::tcw(std::uint32_t node, int number, Bytes n) const {
  sr8000::Tcw t;
  t.source = buffer(number);
  t.length = n;
  t.destination = node;
  t.field = static_cast<std::uint16_t>(buffer_field_);
  t.offset = t.source - buffers_;
  t.flagged = true;
  t.flag_field = static_cast<std::uint16_t>(flag_field_);
  t.flag_offset = flag(number) - flags_;
  return t;
}

void ComBufBroadcast::start(Fiber& f, int rank, std::pair<std::uint32_t, std::uint32_t> corners, int number, Bytes n) {
  sr8000::Tcw t = tcw(corners.first, number, n);
  t.last = corners.second;
  t.broadcast = true;
  kick(f, rank, static_cast<std::uint64_t>(number) * (nodes_.size() + 1), t);
}

void ComBufBroadcast::send(Fiber& f, int rank, int to, int number, Bytes n) {
  kick(f, rank, static_cast<std::uint64_t>(number) * (nodes_.size() + 1) + 1 + static_cast<std::uint64_t>(to),
       tcw(nodes_[to].nia().node(), number, n));
}

void ComBufBroadcast::kick(Fiber& f, int rank, std::uint64_t i, const sr8000::Tcw& t) {
  ComBufNode& me = nodes_[rank];
  const std::uint64_t at = tcws_ + unsigned_of(sr8000::Tcw::size) * i;
  const auto [built, fresh] = built_[rank].try_emplace(i);
  if (fresh || !(built->second == t)) me.build(f, at, t);
  built->second = t;
  me.kick(f, at);
}

}  // namespace tsunagi::libraries
