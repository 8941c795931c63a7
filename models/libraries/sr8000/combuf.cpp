// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/sr8000/combuf.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace tsunagi::libraries {

void describe(ComBufConfig& c, config::Describer& d) {
  describe(static_cast<ComBufNodeConfig&>(c), d);
  d.field("tcws", c.tcws, "transfer control words of a rank: one a peer, place and size", config::within(1, 65536));
}

ComBuf::ComBuf(const ComBufConfig& c, Machine& m)
    : config_(c), nodes_(combuf_nodes(c, m, "combuf")), processor_(nodes_) {
  add_facet<comm::Protocols>(*this);
  ways_.resize(nodes_.size() * nodes_.size());
  built_.resize(nodes_.size());
  for (ComBufNode& n : nodes_) {
    tcws_ = n.take("transfer control words", sr8000::Tcw::size * c.tcws).base;
    flag_field_ = n.take_field("reception flags", 8_B * ranks(), &flags_);
    n.close();
  }
}

std::vector<comm::Ceiling> ComBuf::ceilings(int from, int, const comm::Buffer&) const {
  return combuf_ceilings(nodes_[static_cast<std::size_t>(from)]);
}

void ComBuf::send(Fiber& f, int from, int to, const comm::Buffer& b) {
  ComBufNode& me = node(from);
  Way& w = way(from, to);
  if (w.sent != w.received)
    throw std::runtime_error(
        fmt::format("rank {} sends to rank {} by remote DMA before that has looked at the flag of "
                    "the message before: it would be lost",
                    from, to));
  ++w.sent;
  auto& built = built_[static_cast<std::size_t>(from)];
  const auto [at, fresh] =
      built.emplace(std::tuple(to, b.offset.count(), b.size.count()), static_cast<int>(built.size()));
  if (at->second >= config_.tcws)
    throw std::runtime_error(
        fmt::format("rank {} needs more than {} transfer control words (\"tcws\")", from, config_.tcws));
  const std::uint64_t tcw = tcws_ + unsigned_of(sr8000::Tcw::size) * static_cast<std::uint64_t>(at->second);
  if (fresh) {
    sr8000::Tcw t;
    t.source = me.user_base() + unsigned_of(b.offset);
    t.length = b.size;
    t.destination = node(to).nia().node();
    t.field = static_cast<std::uint16_t>(me.user_field());
    t.offset = unsigned_of(b.offset);
    t.flagged = true;
    t.flag_field = static_cast<std::uint16_t>(flag_field_);
    t.flag_offset = 8 * static_cast<std::uint64_t>(from);
    step(f, from, "build TCW", [&] { me.build(f, tcw, t); });
  }
  std::uint64_t number = 0;
  step(f, from, "kick TCW", [&] { number = me.kick(f, tcw); });
  step.sent(b.size);
  step(f, from, "wait until sent", [&] { me.wait_sent(f, number); });
}

void ComBuf::recv(Fiber& f, int to, int from, const comm::Buffer&) {
  Way& w = way(from, to);
  step(f, to, "poll reception flag",
       [&] { node(to).wait_flag(f, flags_ + 8 * static_cast<std::uint64_t>(from), w.flag); });
  ++w.received;
}

std::unique_ptr<comm::Communicator> make_combuf(const config::AnyConfig& c, Machine& m) {
  return std::make_unique<ComBuf>(c.as<ComBufConfig>(), m);
}

}  // namespace tsunagi::libraries
