// SPDX-License-Identifier: Apache-2.0
// FMPL's messages without a named source (paper 002, 2.4): matched at the receiver.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "models/libraries/fmpl/fmpl_messages.hpp"

namespace tsunagi::libraries {

namespace {

/// An announcement: tag, context, size, and the number of the message, eight bytes each, the number last.
constexpr Bytes announcement_size{32};

}  // namespace

void FmplMessages::take_announcements(ComBufNode& n) {
  const auto all = static_cast<std::int64_t>(nodes_.size());
  announcement_field_ = n.take_field("announcements", announcement_size * all, &announcements_);
  announced_ = n.take("own announcements", announcement_size * all).base;
  announcement_tcws_ = n.take("TCWs of announcements", sr8000::Tcw::size * all).base;
  any_records_ = n.take("records of receives from any rank", record_size * most_any_receives).base;
}

std::uint64_t FmplMessages::announcement(std::uint64_t area, int peer) {
  return area + unsigned_of(announcement_size) * static_cast<std::uint64_t>(peer);
}

void FmplMessages::announce(comm::Fiber& f, int rank, const Pending& p) {
  ComBufNode& n = nodes_[static_cast<std::size_t>(rank)];
  Pair& with = pair(rank, p.peer);
  const std::uint64_t at = announcement(announced_, p.peer);
  const std::uint64_t tcw = announcement_tcws_ + unsigned_of(sr8000::Tcw::size) * static_cast<std::uint64_t>(p.peer);
  if (with.announced++ == 0) {
    sr8000::Tcw t;
    t.source = at;
    t.length = announcement_size;
    t.destination = nodes_[static_cast<std::size_t>(p.peer)].nia().node();
    t.field = static_cast<std::uint16_t>(announcement_field_);
    t.offset = announcement(0, rank);
    n.preset(tcw, t);
  }
  step_(f, rank, "announcement send", [&] {
    std::uint8_t said[32] = {};
    flow::write_word(&said[0], static_cast<std::uint64_t>(p.envelope.tag), 8);
    flow::write_word(&said[8], static_cast<std::uint64_t>(p.envelope.context), 8);
    flow::write_word(&said[16], unsigned_of(p.envelope.size), 8);
    flow::write_word(&said[24], with.announced, 8);
    n.core().execute(f, "make announcement", config_.header_cycles);
    n.wait_sent(f, n.kick(f, tcw, {{at, {said, sizeof said}}}));
  });
}

host::Core::Polled FmplMessages::announcement_of(int rank, int peer) const {
  const auto& pairs = ends_[static_cast<std::size_t>(rank)].pairs;
  const auto known = pairs.find(peer);
  const std::uint64_t last = known == pairs.end() ? 0 : known->second.heard;
  return {announcement(announcements_, peer) + unsigned_of(announcement_size), 8_B,
          [last](std::uint64_t said) { return said != last; }};
}

comm::Request FmplMessages::receive_any(comm::Fiber& f, int rank, Pending p) {
  if (!config_.any_source)
    throw std::runtime_error(
        fmt::format("rank {} receives from any rank: library fmpl matches at the sender, whose rank a receive has to "
                    "name, but for send_any (\"any_source\")",
                    rank));
  const ComBufNode& n = nodes_[static_cast<std::size_t>(rank)];
  End& me = ends_[static_cast<std::size_t>(rank)];
  if (me.any_receives.size() == most_any_receives)
    throw std::runtime_error(
        fmt::format("rank {} has {} receives from any rank at a time, and posts another one", rank, most_any_receives));
  auto taken = me.unmet.end();
  step_(f, rank, "initial processing (recv)", [&] {
    n.core().execute(f, "fmpl_recv_any begins", config_.begin_cycles);
    for (taken = me.unmet.begin(); taken != me.unmet.end(); ++taken) {
      n.core().touch(f, n.memory(), announcement(announcements_, taken->source), announcement_size, "an announcement");
      if (pattern_of(p).takes(*taken)) return;
    }
    n.core().execute(f, "note receive", config_.post_cycles);
  });
  if (taken == me.unmet.end()) {
    me.any_receives.push_back(p);
    return p.request;
  }
  const int source = taken->source;
  me.unmet.erase(taken);
  accept(f, rank, p, source);
  return p.request;
}

void FmplMessages::accept(comm::Fiber& f, int rank, Pending p, int source) {
  p.peer = source;
  p.slot = any_source_slot();
  pair(rank, source).slots[static_cast<std::size_t>(p.slot)].receives = true;
  send_header(f, rank, p);
  ends_[static_cast<std::size_t>(rank)].receives.push_back(p);
}

void FmplMessages::hear(comm::Fiber& f, int rank, int peer) {
  const ComBufNode& n = nodes_[static_cast<std::size_t>(rank)];
  End& me = ends_[static_cast<std::size_t>(rank)];
  const std::uint64_t at = announcement(announcements_, peer);
  comm::Envelope e;
  auto taker = me.any_receives.end();
  step_(f, rank, "announcement reception", [&] {
    n.core().touch(f, n.memory(), at, announcement_size, "an announcement");
    const std::vector<std::uint8_t> said = n.memory().bytes(at, announcement_size);
    e.source = peer;
    e.tag = static_cast<int>(flow::read_word(&said[0], 8));
    e.context = static_cast<int>(flow::read_word(&said[8], 8));
    e.size = Bytes(static_cast<std::int64_t>(flow::read_word(&said[16], 8)));
    pair(rank, peer).heard = flow::read_word(&said[24], 8);
    std::uint64_t record = any_records_;
    for (taker = me.any_receives.begin(); taker != me.any_receives.end(); ++taker) {
      n.core().touch(f, n.memory(), record, record_size, "a receive from any rank");
      if (pattern_of(*taker).takes(e)) return;
      record += unsigned_of(record_size);
    }
  });
  if (taker == me.any_receives.end()) {
    me.unmet.push_back(e);
    return;
  }
  const Pending p = *taker;
  me.any_receives.erase(taker);
  accept(f, rank, p, peer);
}

bool FmplMessages::from_anybody(int rank, const std::vector<comm::Request>& waited) const {
  const std::list<Pending>& all = ends_[static_cast<std::size_t>(rank)].any_receives;
  return std::any_of(all.begin(), all.end(), [&](const Pending& p) {
    return std::find(waited.begin(), waited.end(), p.request) != waited.end();
  });
}

std::vector<int> FmplMessages::announcers(int rank) const {
  const auto& pairs = ends_[static_cast<std::size_t>(rank)].pairs;
  std::vector<int> out;
  for (int peer = 0; peer < static_cast<int>(nodes_.size()); ++peer) {
    const auto known = pairs.find(peer);
    const bool receives =
        known != pairs.end() && known->second.slots[static_cast<std::size_t>(any_source_slot())].receives;
    if (peer != rank && !receives) out.push_back(peer);
  }
  return out;
}

}  // namespace tsunagi::libraries
