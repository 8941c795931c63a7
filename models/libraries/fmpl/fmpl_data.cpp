// SPDX-License-Identifier: Apache-2.0
// FMPL's messages: their data leave and come.
#include <fmt/format.h>

#include <stdexcept>

#include "models/libraries/fmpl/fmpl_messages.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

namespace {

const char* data_send_of(bool kept) { return kept ? "data send from the buffer" : "data send"; }

}  // namespace

void FmplMessages::start_data(comm::Fiber& f, int rank, Pending& p) {
  ComBufNode& n = nodes_[static_cast<std::size_t>(rank)];
  Pair& with = pair(rank, p.peer);
  int slot = p.slot;  // of the receive
  std::uint64_t header = 0;
  std::vector<std::uint8_t> said;
  step_(f, rank, "header reception", [&] {
    const std::vector<int> slots = slots_of(p);
    std::vector<host::Core::Polled> words;
    for (const int s : slots) words.push_back(header_of(rank, p.peer, s));
    slot = slots[n.core().poll_any(f, n.memory(), words)];
    header = matching_ + place(p.peer, slot, header_size);
    n.core().touch(f, n.memory(), header, header_size, "the header");
    said = n.memory().bytes(header, header_size);
  });
  with.slots[static_cast<std::size_t>(slot)].header = flow::read_word(&said[24], 8);
  const Bytes room(static_cast<std::int64_t>(flow::read_word(&said[8], 8)));
  if (p.bytes.size > room)
    throw std::runtime_error(
        fmt::format("truncated: rank {} sends {} to rank {} by matching slot {}, which receives {}", rank,
                    to_string(p.bytes.size), p.peer, p.slot, to_string(room)));
  const sr8000::Tcw t = data_tcw(rank, p, slot, flow::read_word(&said[0], 8));
  const std::uint64_t tcw = data_tcws_ + place(p.peer, p.slot, sr8000::Tcw::size);
  step_(f, rank, data_send_of(p.kept.has_value()), [&] {
    n.change(f, tcw, t);
    // The slot is given back before the data leave: the next header comes behind them.
    const flow::WordBytes none(0);
    witness_.handed(p.envelope, rank, p.peer, p.request, f.now());
    under_way_[{rank, p.peer, slot}] = p.envelope;
    p.transfer = n.kick(f, tcw, {{header + unsigned_of(header_size) - 8, none}});
  });
}

void FmplMessages::end_data(comm::Fiber& f, int rank, const Pending& p) {
  step_.go_on(f, rank, data_send_of(p.kept.has_value()),
              [&] { nodes_[static_cast<std::size_t>(rank)].wait_sent(f, p.transfer); });
  pair(rank, p.peer).slots[static_cast<std::size_t>(p.slot)].sends = false;
  p.request.reach(comm::Milestone::started, f.now());
  if (p.kept)
    ends_[static_cast<std::size_t>(rank)].buffer.give_back(*p.kept);
  else
    p.request.reach(comm::Milestone::completed, f.now());
}

sr8000::Tcw FmplMessages::data_tcw(int rank, const Pending& p, int slot, std::uint64_t offset) const {
  const ComBufNode& n = nodes_[static_cast<std::size_t>(rank)];
  sr8000::Tcw t;
  t.source = source_of(rank, p);
  t.length = p.bytes.size;
  t.destination = nodes_[static_cast<std::size_t>(p.peer)].nia().node();
  t.field = static_cast<std::uint16_t>(n.user_field());
  t.offset = offset;
  t.flagged = true;
  t.flag_field = static_cast<std::uint16_t>(flag_field_);
  t.flag_offset = place(rank, slot, flag_size);
  if (p.bytes.size > Bytes::zero()) return t;
  t.source = empty_;
  t.length = flag_size;
  t.field = static_cast<std::uint16_t>(empty_field_);
  t.offset = 0;
  return t;
}

void FmplMessages::receive_data(comm::Fiber& f, int rank, const Pending& p) {
  ComBufNode& n = nodes_[static_cast<std::size_t>(rank)];
  Pair& with = pair(rank, p.peer);
  Slot& s = with.slots[static_cast<std::size_t>(p.slot)];
  step_(f, rank, "data reception", [&] {
    n.wait_flag(f, flags_ + place(p.peer, p.slot, flag_size), s.flag);
    n.core().touch(f, n.memory(), records_ + place(p.peer, p.slot, record_size), record_size, "its slot");
  });
  s.receives = false;
  const auto sent = under_way_.find({p.peer, rank, p.slot});
  const comm::Envelope e = sent->second;
  under_way_.erase(sent);
  witness_.found(rank, p.peer, {e, 0, f.now()});
  carried_.arrives(e, rank, p.bytes);
  comm::Request request = p.request;
  request.set_status({e.source, e.tag, e.size});
  p.request.reach(comm::Milestone::delivered, f.now());
  p.request.reach(comm::Milestone::completed, f.now());
  witness_.received(e, rank, p.bytes.method, p.request.at(comm::Milestone::posted), f.now());
}

void FmplMessages::meet_own(comm::Fiber& f, int rank) {
  End& me = ends_[static_cast<std::size_t>(rank)];
  for (auto s = me.own_sends.begin(); s != me.own_sends.end(); ++s)
    for (auto r = me.own_receives.begin(); r != me.own_receives.end(); ++r) {
      if (!pattern_of(*r).takes(s->envelope)) continue;
      const Pending from = *s;
      Pending to = *r;
      me.own_sends.erase(s);
      me.own_receives.erase(r);
      if (from.bytes.size > to.bytes.size)
        throw std::runtime_error(fmt::format("truncated: rank {} sends {} to itself and receives {}", rank,
                                             to_string(from.bytes.size), to_string(to.bytes.size)));
      comm::Buffer into = to.bytes;
      into.size = from.bytes.size;
      comm::Buffer out = from.bytes;
      out.offset =
          Bytes(static_cast<std::int64_t>(source_of(rank, from) - nodes_[static_cast<std::size_t>(rank)].user_base()));
      step_(f, rank, "copy to itself", [&] { processor_.copy(f, rank, into, out); });
      step_.copied(comm::Copier::core, into.size);
      carried_.arrives(from.envelope, rank, to.bytes);
      to.request.set_status({rank, from.envelope.tag, into.size});
      if (from.kept) me.buffer.give_back(*from.kept);
      from.request.reach(comm::Milestone::started, f.now());
      from.request.reach(comm::Milestone::delivered, f.now());
      if (!from.kept) from.request.reach(comm::Milestone::completed, f.now());
      for (const comm::Milestone m : {comm::Milestone::started, comm::Milestone::delivered, comm::Milestone::completed})
        to.request.reach(m, f.now());
      witness_.received(from.envelope, rank, into.method, to.request.at(comm::Milestone::posted), f.now());
      return;
    }
}

}  // namespace tsunagi::libraries
