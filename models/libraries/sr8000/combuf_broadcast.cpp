// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/sr8000/combuf_broadcast.hpp"

namespace tsunagi::libraries {

ComBufBroadcast::ComBufBroadcast(std::vector<ComBufNode>& nodes, Bytes size, int buffers, const std::string& what)
    : nodes_(nodes), size_(size) {
  for (ComBufNode& n : nodes) {
    buffer_field_ = n.take_field(what, size * buffers, &buffers_);
    flag_field_ = n.take_field("flags of " + what, 64_B * buffers, &flags_);
    tcws_ = n.take("TCWs of " + what, sr8000::Tcw::size * buffers).base;
  }
}

void ComBufBroadcast::start(comm::Fiber& f, int rank, std::pair<std::uint32_t, std::uint32_t> corners, int number,
                            Bytes n) {
  ComBufNode& me = nodes_[static_cast<std::size_t>(rank)];
  sr8000::Tcw t;
  t.source = buffer(number);
  t.offset = t.source - buffers_;
  t.length = n;
  t.destination = corners.first;
  t.last = corners.second;
  t.field = static_cast<std::uint16_t>(buffer_field_);
  t.broadcast = true;
  t.flagged = true;
  t.flag_field = static_cast<std::uint16_t>(flag_field_);
  t.flag_offset = flag(number) - flags_;
  const std::uint64_t tcw = tcws_ + unsigned_of(sr8000::Tcw::size) * static_cast<std::uint64_t>(number);
  me.build(f, tcw, t);
  me.kick(f, tcw);
}

}  // namespace tsunagi::libraries
