// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/fmpl/fmpl_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "comm/messages/who.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

void describe(FmplConfig& c, config::Describer& d) {
  using namespace config;
  constexpr std::int64_t most = 1'000'000;
  describe(static_cast<ComBufNodeConfig&>(c), d);
  d.field("slots", c.slots, "matching slots of each pair of ranks: the lower half for tags, the upper for collectives",
          within(2, 65536));
  d.field("begin_cycles", c.begin_cycles, "core cycles in which a send or a receive begins",
          within(std::int64_t{0}, most), ideal(std::int64_t{0}));
  d.field("header_cycles", c.header_cycles, "core cycles in which a receive makes its header, beside the stores",
          within(std::int64_t{0}, most), ideal(std::int64_t{0}));
  d.field("post_cycles", c.post_cycles, "core cycles in which a receive is noted down behind that",
          within(std::int64_t{0}, most), ideal(std::int64_t{0}));
  d.field("broadcast_buffer", c.broadcast_buffer, "each of the two buffers of hardware broadcasts",
          within(4_KiB, 64_MiB));
  d.field("any_tag", c.any_tag, "receives may have any tag: each send of a program looks for their headers, too");
  d.field(
      "any_source", c.any_source,
      "send_any and recv_any are there: sends with method \"any\", and receives from any rank, which meet no others");
  d.field("send_buffer", c.send_buffer,
          "where a rank keeps the data of sends that nobody has received in time (one-copy communication); 0 B: sends "
          "wait for their receives",
          within(0_B, 64_GiB));
  d.field("timeout", c.timeout, "how long a send waits for its receive before it copies its data there",
          at_most(1000_s));
  d.require(c.send_buffer > Bytes::zero() || c.timeout == Time::zero(), "\"timeout\" needs a \"send_buffer\"");
}

FmplMessages::FmplMessages(const FmplConfig& c, std::vector<ComBufNode>& nodes, const comm::Steps& step,
                           comm::Processor& processor)
    : config_(c), nodes_(nodes), step_(step), processor_(processor), ends_(nodes.size()) {
  const std::int64_t all = static_cast<std::int64_t>(nodes.size()) * slots_of_pair();
  for (ComBufNode& n : nodes) {
    matching_field_ = n.take_field("matching slots", header_size * all, &matching_);
    flag_field_ = n.take_field("completion flags", flag_size * all, &flags_);
    empty_field_ = n.take_field("empty messages", flag_size, &empty_);
    headers_ = n.take("headers", header_size * all).base;
    header_tcws_ = n.take("TCWs of headers", sr8000::Tcw::size * all).base;
    data_tcws_ = n.take("TCWs of data", sr8000::Tcw::size * all).base;
    records_ = n.take("records of slots", record_size * all).base;
    n.attend_to(*this, static_cast<int>(&n - nodes.data()));
    if (c.any_source) take_announcements(n);
    if (c.send_buffer > Bytes::zero()) send_buffer_ = n.take("send buffer", c.send_buffer).base;
  }
  for (End& e : ends_) e.buffer = FmplSendBuffer(c.send_buffer);
}

FmplMessages::Pair& FmplMessages::pair(int rank, int peer) {
  Pair& p = ends_[static_cast<std::size_t>(rank)].pairs[peer];
  if (p.slots.empty()) p.slots.resize(static_cast<std::size_t>(slots_of_pair()));
  return p;
}

int FmplMessages::slot_of(int rank, int context, int tag, std::uint32_t& collectives) const {
  const int lower = config_.slots / 2;
  if (context % 2 != 0)
    return lower + static_cast<int>(collectives++ % static_cast<std::uint32_t>(config_.slots - lower));
  if (tag == comm::any_tag) {
    if (config_.any_tag) return any_slot();
    throw std::runtime_error(fmt::format(
        "rank {} receives with any tag: library fmpl looks for such receives with \"any_tag\" alone", rank));
  }
  if (tag >= lower)
    throw std::runtime_error(
        fmt::format("rank {} uses tag {}, but programs have matching slots 0 to {} (\"slots\")", rank, tag, lower - 1));
  return tag;
}

std::uint64_t FmplMessages::place(int peer, int slot, Bytes each) const {
  return unsigned_of(each) * (static_cast<std::uint64_t>(peer) * static_cast<std::uint64_t>(slots_of_pair()) +
                              static_cast<std::uint64_t>(slot));
}

comm::Request FmplMessages::isend(comm::Fiber& f, int from, int to, int context, int tag, const comm::Buffer& b) {
  Pending p;
  p.request = requests_.make(f.now());
  p.peer = to;
  p.bytes = b;
  p.envelope.kind = comm::Envelope::Kind::finished;
  p.envelope.source = from;
  p.envelope.context = context;
  p.envelope.tag = tag;
  p.envelope.size = b.size;
  const bool anybody = b.method == any_method;
  if (anybody && (!config_.any_source || to == from))
    throw std::runtime_error(fmt::format(
        "rank {} sends to rank {} by send_any, which library fmpl has with \"any_source\" alone, and between "
        "two ranks",
        from, to));
  Pair& with = pair(from, to);
  p.envelope.sequence = with.sequence++;
  carried_.leaves(p.envelope, to, b);
  step_.sent(b.size);
  witness_.begins(p.envelope, to, p.request);
  End& me = ends_[static_cast<std::size_t>(from)];
  if (to == from) {
    me.own_sends.push_back(p);
    meet_own(f, from);
  } else {
    p.slot = anybody ? any_source_slot() : slot_of(from, context, tag, with.collectives_sent);
    Slot& s = with.slots[static_cast<std::size_t>(p.slot)];
    wait_for_slot(f, from, p);
    s.sends = true;
    step_(f, from, "initial processing (send)", [&] { begin(f, from, p, "fmpl_send begins"); });
    if (anybody) announce(f, from, p);
    const bool asked = header_is_there(from, p);
    if (asked) start_data(f, from, p);
    (asked ? me.leaving : me.sends).push_back(p);
  }
  witness_.sent(p.envelope, to, b.method, p.request, f.now());
  return p.request;
}

comm::Request FmplMessages::irecv(comm::Fiber& f, int rank, const comm::Pattern& want, const comm::Buffer& b) {
  Pending p;
  p.request = requests_.make(f.now());
  p.peer = want.source;
  p.bytes = b;
  p.envelope.context = want.context;
  p.envelope.tag = want.tag;
  p.envelope.size = b.size;
  p.envelope.source = want.source;
  if (want.source == comm::any_source) return receive_any(f, rank, p);
  End& me = ends_[static_cast<std::size_t>(rank)];
  if (want.source == rank) {
    me.own_receives.push_back(p);
    meet_own(f, rank);
    return p.request;
  }
  Pair& with = pair(rank, want.source);
  p.slot = slot_of(rank, want.context, want.tag, with.collectives_posted);
  Slot& s = with.slots[static_cast<std::size_t>(p.slot)];
  if (s.receives)
    throw std::runtime_error(
        fmt::format("rank {} receives from rank {} by matching slot {}, which a receive before still "
                    "has",
                    rank, want.source, p.slot));
  s.receives = true;
  step_(f, rank, "initial processing (recv)", [&] { begin(f, rank, p, "fmpl_recv begins"); });
  send_header(f, rank, p);
  me.receives.push_back(p);
  return p.request;
}

void FmplMessages::begin(comm::Fiber& f, int rank, const Pending& p, const char* what) {
  const ComBufNode& n = nodes_[static_cast<std::size_t>(rank)];
  n.core().execute(f, what, config_.begin_cycles);
  n.core().touch(f, n.memory(), records_ + place(p.peer, p.slot, record_size), record_size, "its slot");
}

void FmplMessages::send_header(comm::Fiber& f, int rank, const Pending& p) {
  ComBufNode& n = nodes_[static_cast<std::size_t>(rank)];
  const std::uint64_t at = headers_ + place(p.peer, p.slot, header_size);
  const std::uint64_t tcw = header_tcws_ + place(p.peer, p.slot, sr8000::Tcw::size);
  Slot& s = pair(rank, p.peer).slots[static_cast<std::size_t>(p.slot)];
  if (!s.ready) {
    sr8000::Tcw t;
    t.source = at;
    t.length = header_size;
    t.destination = nodes_[static_cast<std::size_t>(p.peer)].nia().node();
    t.field = static_cast<std::uint16_t>(matching_field_);
    t.offset = place(rank, p.slot, header_size);
    n.preset(tcw, t);
    s.ready = true;
  }
  step_(f, rank, "header send", [&] {
    std::uint8_t header[32] = {};
    flow::write_word(&header[0], unsigned_of(p.bytes.offset), 8);
    flow::write_word(&header[8], unsigned_of(p.bytes.size), 8);
    flow::write_word(&header[24], ++ends_[static_cast<std::size_t>(rank)].headers, 8);
    n.core().execute(f, "make header", config_.header_cycles);
    n.wait_sent(f, n.kick(f, tcw, {{at, {header, sizeof header}}}));
    n.core().execute(f, "note receive", config_.post_cycles);
  });
}

std::vector<int> FmplMessages::slots_of(const Pending& p) const {
  if (config_.any_tag && p.slot < config_.slots / 2) return {p.slot, any_slot()};
  return {p.slot};
}

host::Core::Polled FmplMessages::header_of(int rank, int peer, int slot) {
  const std::uint64_t last = pair(rank, peer).slots[static_cast<std::size_t>(slot)].header;
  return {matching_ + place(peer, slot, header_size) + unsigned_of(header_size), 8_B,
          [last](std::uint64_t said) { return said != 0 && said != last; }};
}

host::Core::Polled FmplMessages::flag_of(int rank, const Pending& p) {
  const std::uint64_t last = pair(rank, p.peer).slots[static_cast<std::size_t>(p.slot)].flag;
  return {flags_ + place(p.peer, p.slot, flag_size) + unsigned_of(flag_size), 8_B,
          [last](std::uint64_t said) { return said != last; }};
}

bool FmplMessages::header_is_there(int rank, const Pending& p) {
  const std::vector<int> slots = slots_of(p);
  return std::any_of(slots.begin(), slots.end(), [&](int slot) {
    const host::Core::Polled w = header_of(rank, p.peer, slot);
    return w.until(nodes_[static_cast<std::size_t>(rank)].memory().word_ending_at(w.end).value);
  });
}

}  // namespace tsunagi::libraries
