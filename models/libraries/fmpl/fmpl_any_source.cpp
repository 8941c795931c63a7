// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/fmpl/fmpl_any_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace tsunagi::libraries {

FmplAnySource::FmplAnySource(const FmplConfig& c, comm::ByRank<ComBufNode>& nodes, const FmplSlots& slots,
                             const comm::Steps& step)
    : config_(c), nodes_(nodes), slots_(slots), step_(step), ends_(nodes.size()) {
  if (!c.any_source) return;
  const auto all = static_cast<std::int64_t>(nodes.size());
  for (ComBufNode& n : nodes) {
    field_ = n.take_field("announcements", announcement_size_ * all, &heard_);
    announced_ = n.take("own announcements", announcement_size_ * all).base;
    tcws_ = n.take("TCWs of announcements", sr8000::Tcw::size * all).base;
    records_ = n.take("records of receives from any rank", record_size_ * most_receives_).base;
  }
}

void FmplAnySource::announce(Fiber& f, int rank, const FmplPending& send) {
  ComBufNode& n = nodes_[rank];
  const std::uint64_t number = ++ends_[rank].peers[send.peer].announced;
  const std::uint64_t at = place(announced_, send.peer);
  const std::uint64_t tcw = tcws_ + unsigned_of(sr8000::Tcw::size) * static_cast<std::uint64_t>(send.peer);
  if (number == 1) {
    sr8000::Tcw t;
    t.source = at;
    t.length = announcement_size_;
    t.destination = nodes_[send.peer].nia().node();
    t.field = static_cast<std::uint16_t>(field_);
    t.offset = place(0, rank);
    n.preset(tcw, t);
  }
  step_(f, rank, "announcement send", [&] {
    std::uint8_t said[32] = {};
    flow::write_word(&said[0], static_cast<std::uint64_t>(send.envelope.tag), 8);
    flow::write_word(&said[8], static_cast<std::uint64_t>(send.envelope.context), 8);
    flow::write_word(&said[16], unsigned_of(send.envelope.size), 8);
    flow::write_word(&said[24], number, 8);
    n.core().execute(f, "make announcement", config_.header_cycles);
    n.wait_sent(f, n.kick(f, tcw, {{at, {said, sizeof said}}}));
  });
}

std::optional<int> FmplAnySource::post(Fiber& f, int rank, const FmplPending& receive) {
  if (!config_.any_source)
    throw std::runtime_error(
        fmt::format("rank {} receives from any rank: library fmpl matches at the sender, whose rank a receive has to "
                    "name, but for send_any (\"any_source\")",
                    rank));
  const ComBufNode& n = nodes_[rank];
  End& me = ends_[rank];
  if (me.receives.size() == most_receives_)
    throw std::runtime_error(
        fmt::format("rank {} has {} receives from any rank at a time, and posts another one", rank, most_receives_));
  auto taken = me.unmet.end();
  step_(f, rank, "initial processing (recv)", [&] {
    n.core().execute(f, "fmpl_recv_any begins", config_.begin_cycles);
    for (taken = me.unmet.begin(); taken != me.unmet.end(); ++taken) {
      n.core().touch(f, n.memory(), place(heard_, taken->source), announcement_size_, "an announcement");
      if (receive.pattern().takes(*taken)) return;
    }
    n.core().execute(f, "note receive", config_.post_cycles);
  });
  if (taken == me.unmet.end()) {
    me.receives.push_back(receive);
    return std::nullopt;
  }
  const int source = taken->source;
  me.unmet.erase(taken);
  return source;
}

std::vector<int> FmplAnySource::announcers(int rank) const {
  std::vector<int> out;
  for (int peer = 0; peer < static_cast<int>(nodes_.size()); ++peer)
    if (peer != rank && !slots_.receives(rank, peer, slots_.any_source_slot())) out.push_back(peer);
  return out;
}

host::Core::Polled FmplAnySource::word(int rank, int peer) const {
  const auto& peers = ends_[rank].peers;
  const auto known = peers.find(peer);
  const std::uint64_t last = known == peers.end() ? 0 : known->second.heard;
  return {place(heard_, peer) + unsigned_of(announcement_size_), 8_B,
          [last](std::uint64_t said) { return said != last; }};
}

std::optional<FmplPending> FmplAnySource::hear(Fiber& f, int rank, int peer) {
  const ComBufNode& n = nodes_[rank];
  End& me = ends_[rank];
  const std::uint64_t at = place(heard_, peer);
  comm::Envelope e;
  auto taker = me.receives.end();
  step_(f, rank, "announcement reception", [&] {
    n.core().touch(f, n.memory(), at, announcement_size_, "an announcement");
    const std::vector<std::uint8_t> said = n.memory().bytes(at, announcement_size_);
    e.source = peer;
    e.tag = static_cast<int>(flow::read_word(&said[0], 8));
    e.context = static_cast<int>(flow::read_word(&said[8], 8));
    e.size = Bytes(static_cast<std::int64_t>(flow::read_word(&said[16], 8)));
    me.peers[peer].heard = flow::read_word(&said[24], 8);
    std::uint64_t record = records_;
    for (taker = me.receives.begin(); taker != me.receives.end(); ++taker) {
      n.core().touch(f, n.memory(), record, record_size_, "a receive from any rank");
      if (taker->pattern().takes(e)) return;
      record += unsigned_of(record_size_);
    }
  });
  if (taker == me.receives.end()) {
    me.unmet.push_back(e);
    return std::nullopt;
  }
  const FmplPending receive = *taker;
  me.receives.erase(taker);
  return receive;
}

bool FmplAnySource::waits(int rank, const std::vector<comm::Request>& waited) const {
  const std::list<FmplPending>& all = receives(rank);
  return std::any_of(all.begin(), all.end(), [&](const FmplPending& p) { return p.is_of(waited); });
}

}  // namespace tsunagi::libraries
