// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/sr8000/fmpl_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "comm/who.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

namespace {

/// A header: offset, size and number of a receive, eight bytes each, the number last.
constexpr Bytes header_size{32};
constexpr Bytes flag_size{8};
/// What a rank notes down of a matching slot: who has it, with which area.
constexpr Bytes record_size{64};

}  // namespace

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
}

FmplMessages::FmplMessages(const FmplConfig& c, std::vector<ComBufNode>& nodes, const comm::Steps& step,
                           comm::Processor& processor)
    : config_(c), nodes_(nodes), step_(step), processor_(processor), ends_(nodes.size()) {
  const auto all = static_cast<std::int64_t>(nodes.size()) * c.slots;
  for (ComBufNode& n : nodes) {
    matching_field_ = n.take_field("matching slots", header_size * all, &matching_);
    flag_field_ = n.take_field("completion flags", flag_size * all, &flags_);
    empty_field_ = n.take_field("empty messages", flag_size, &empty_);
    headers_ = n.take("headers", header_size * all).base;
    header_tcws_ = n.take("TCWs of headers", sr8000::Tcw::size * all).base;
    data_tcws_ = n.take("TCWs of data", sr8000::Tcw::size * all).base;
    records_ = n.take("records of slots", record_size * all).base;
  }
}

FmplMessages::Pair& FmplMessages::pair(int rank, int peer) {
  Pair& p = ends_[static_cast<std::size_t>(rank)].pairs[peer];
  if (p.slots.empty()) p.slots.resize(static_cast<std::size_t>(config_.slots));
  return p;
}

int FmplMessages::slot_of(int rank, int context, int tag, std::uint32_t& collectives) const {
  const int lower = config_.slots / 2;
  if (context % 2 != 0)
    return lower + static_cast<int>(collectives++ % static_cast<std::uint32_t>(config_.slots - lower));
  if (tag == comm::any_tag)
    throw std::runtime_error(fmt::format("rank {} receives with any tag: library fmpl needs a matching slot", rank));
  if (tag >= lower)
    throw std::runtime_error(
        fmt::format("rank {} uses tag {}, but programs have matching slots 0 to {} (\"slots\")", rank, tag, lower - 1));
  return tag;
}

std::uint64_t FmplMessages::place(int peer, int slot, Bytes each) const {
  return unsigned_of(each) * (static_cast<std::uint64_t>(peer) * static_cast<std::uint64_t>(config_.slots) +
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
    p.slot = slot_of(from, context, tag, with.collectives_sent);
    Slot& s = with.slots[static_cast<std::size_t>(p.slot)];
    if (s.sends)
      throw std::runtime_error(
          fmt::format("rank {} sends to rank {} by matching slot {}, which a send before has not "
                      "given back",
                      from, to, p.slot));
    s.sends = true;
    step_(f, from, "initial processing (send)", [&] { begin(f, from, p, "fmpl_send begins"); });
    const bool asked = header_is_there(from, p);
    if (asked) start_data(f, from, p);
    (asked ? me.leaving : me.sends).push_back(p);
  }
  witness_.sent(p.envelope, to, b.method, p.request, f.now());
  return p.request;
}

comm::Request FmplMessages::irecv(comm::Fiber& f, int rank, const comm::Pattern& want, const comm::Buffer& b) {
  if (want.source == comm::any_source)
    throw std::runtime_error(
        fmt::format("rank {} receives from any rank: library fmpl matches at the sender, whose rank "
                    "a receive has to name",
                    rank));
  Pending p;
  p.request = requests_.make(f.now());
  p.peer = want.source;
  p.bytes = b;
  p.envelope.context = want.context;
  p.envelope.tag = want.tag;
  p.envelope.size = b.size;
  p.envelope.source = want.source;
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
  step_(f, rank, "initial processing (recv)", [&] { begin(f, rank, p, "fmpl_recv begins"); });
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

host::Core::Polled FmplMessages::header_of(int rank, const Pending& p) {
  const std::uint64_t last = pair(rank, p.peer).slots[static_cast<std::size_t>(p.slot)].header;
  return {matching_ + place(p.peer, p.slot, header_size) + unsigned_of(header_size), 8_B,
          [last](std::uint64_t said) { return said != 0 && said != last; }};
}

host::Core::Polled FmplMessages::flag_of(int rank, const Pending& p) {
  const std::uint64_t last = pair(rank, p.peer).slots[static_cast<std::size_t>(p.slot)].flag;
  return {flags_ + place(p.peer, p.slot, flag_size) + unsigned_of(flag_size), 8_B,
          [last](std::uint64_t said) { return said != last; }};
}

bool FmplMessages::header_is_there(int rank, const Pending& p) {
  const host::Core::Polled w = header_of(rank, p);
  return w.until(nodes_[static_cast<std::size_t>(rank)].memory().word_ending_at(w.end).value);
}

void FmplMessages::start_data(comm::Fiber& f, int rank, Pending& p) {
  ComBufNode& n = nodes_[static_cast<std::size_t>(rank)];
  Slot& s = pair(rank, p.peer).slots[static_cast<std::size_t>(p.slot)];
  const std::uint64_t header = matching_ + place(p.peer, p.slot, header_size);
  std::vector<std::uint8_t> said;
  step_(f, rank, "header reception", [&] {
    n.core().poll_any(f, n.memory(), {header_of(rank, p)});
    n.core().touch(f, n.memory(), header, header_size, "the header");
    said = n.memory().bytes(header, header_size);
  });
  s.header = flow::read_word(&said[24], 8);
  const Bytes room(static_cast<std::int64_t>(flow::read_word(&said[8], 8)));
  if (p.bytes.size > room)
    throw std::runtime_error(
        fmt::format("truncated: rank {} sends {} to rank {} by matching slot {}, which receives {}", rank,
                    to_string(p.bytes.size), p.peer, p.slot, to_string(room)));
  const bool empty = p.bytes.size == Bytes::zero();
  sr8000::Tcw t;
  t.source = empty ? empty_ : n.user_base() + unsigned_of(p.bytes.offset);
  t.length = empty ? flag_size : p.bytes.size;
  t.destination = nodes_[static_cast<std::size_t>(p.peer)].nia().node();
  t.field = static_cast<std::uint16_t>(empty ? empty_field_ : n.user_field());
  t.offset = empty ? 0 : flow::read_word(&said[0], 8);
  t.flagged = true;
  t.flag_field = static_cast<std::uint16_t>(flag_field_);
  t.flag_offset = place(rank, p.slot, flag_size);
  const std::uint64_t tcw = data_tcws_ + place(p.peer, p.slot, sr8000::Tcw::size);
  step_(f, rank, "data send", [&] {
    n.change(f, tcw, t);
    // The slot is given back before the data leave: the next header comes behind them.
    const flow::WordBytes none(0);
    witness_.handed(p.envelope, rank, p.peer, p.request, f.now());
    under_way_[{rank, p.peer, p.slot}] = p.envelope;
    p.transfer = n.kick(f, tcw, {{header + unsigned_of(header_size) - 8, none}});
  });
}

void FmplMessages::end_data(comm::Fiber& f, int rank, const Pending& p) {
  step_.go_on(f, rank, "data send", [&] { nodes_[static_cast<std::size_t>(rank)].wait_sent(f, p.transfer); });
  pair(rank, p.peer).slots[static_cast<std::size_t>(p.slot)].sends = false;
  p.request.reach(comm::Milestone::started, f.now());
  p.request.reach(comm::Milestone::completed, f.now());
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
      if (r->envelope.context != s->envelope.context || r->envelope.tag != s->envelope.tag) continue;
      const Pending from = *s;
      Pending to = *r;
      me.own_sends.erase(s);
      me.own_receives.erase(r);
      if (from.bytes.size > to.bytes.size)
        throw std::runtime_error(fmt::format("truncated: rank {} sends {} to itself and receives {}", rank,
                                             to_string(from.bytes.size), to_string(to.bytes.size)));
      comm::Buffer into = to.bytes;
      into.size = from.bytes.size;
      step_(f, rank, "copy to itself", [&] { processor_.copy(f, rank, into, from.bytes); });
      step_.copied(comm::Copier::core, into.size);
      carried_.arrives(from.envelope, rank, to.bytes);
      to.request.set_status({rank, from.envelope.tag, into.size});
      for (const comm::Milestone m :
           {comm::Milestone::started, comm::Milestone::delivered, comm::Milestone::completed}) {
        from.request.reach(m, f.now());
        to.request.reach(m, f.now());
      }
      witness_.received(from.envelope, rank, into.method, to.request.at(comm::Milestone::posted), f.now());
      return;
    }
}

void FmplMessages::progress(comm::Fiber& f, int rank, const std::vector<comm::Request>& waited) {
  End& me = ends_[static_cast<std::size_t>(rank)];
  const auto is_waited = [&](const comm::Request& r) {
    return std::find(waited.begin(), waited.end(), r) != waited.end();
  };
  // What is due comes first in the order of the calls: sends that are asked for, then receives.
  std::vector<std::list<Pending>::iterator> which;
  std::vector<host::Core::Polled> words;
  for (auto s = me.sends.begin(); s != me.sends.end(); ++s) {
    which.push_back(s);
    words.push_back(header_of(rank, *s));
  }
  const std::size_t sends = which.size();
  for (auto s = me.leaving.begin(); s != me.leaving.end(); ++s) {
    if (!is_waited(s->request)) continue;
    which.push_back(s);
    words.push_back(nodes_[static_cast<std::size_t>(rank)].sent(s->transfer));
  }
  const std::size_t leaving = which.size();
  for (auto r = me.receives.begin(); r != me.receives.end(); ++r) {
    if (!is_waited(r->request)) continue;
    which.push_back(r);
    words.push_back(flag_of(rank, *r));
  }
  if (words.empty()) {  // a message to itself that nobody sends
    comm::Event never;
    f.wait(never, "a message to itself");
    return;
  }
  std::size_t found = 0;
  if (words.size() > 1) {
    const ComBufNode& n = nodes_[static_cast<std::size_t>(rank)];
    step_(f, rank, "poll headers and flags", [&] { found = n.core().poll_any(f, n.memory(), words); });
  }
  Pending p = *which[found];
  if (found < sends) {
    me.sends.erase(which[found]);
    start_data(f, rank, p);
    me.leaving.push_back(p);
  } else if (found < leaving) {
    me.leaving.erase(which[found]);
    end_data(f, rank, p);
  } else {
    me.receives.erase(which[found]);
    receive_data(f, rank, p);
  }
}

bool FmplMessages::test(comm::Fiber& f, int rank, const comm::Request& r) {
  End& me = ends_[static_cast<std::size_t>(rank)];
  ComBufNode& n = nodes_[static_cast<std::size_t>(rank)];
  step_(f, rank, "test", [&] { n.core().execute(f, "fmpl_test", config_.begin_cycles); });
  for (auto s = me.sends.begin(); s != me.sends.end(); ++s)
    if (header_is_there(rank, *s)) {
      Pending p = *s;
      me.sends.erase(s);
      start_data(f, rank, p);
      me.leaving.push_back(p);
      break;
    }
  for (auto s = me.leaving.begin(); s != me.leaving.end(); ++s)
    if (s->request == r) {
      const host::Core::Polled w = n.sent(s->transfer);
      if (!w.until(n.memory().word_ending_at(w.end).value)) break;
      const Pending left = *s;
      me.leaving.erase(s);
      end_data(f, rank, left);
      break;
    }
  for (auto p = me.receives.begin(); p != me.receives.end(); ++p)
    if (p->request == r) {
      const host::Core::Polled w = flag_of(rank, *p);
      if (!w.until(n.memory().word_ending_at(w.end).value)) break;
      const Pending here = *p;
      me.receives.erase(p);
      receive_data(f, rank, here);
      break;
    }
  return completed(r, f.now());
}

void FmplMessages::wait_all(comm::Fiber& f, int rank, const std::vector<comm::Request>& all) {
  for (const comm::Request& r : all)
    while (!completed(r, f.now())) progress(f, rank, {r});
}

std::size_t FmplMessages::wait_any(comm::Fiber& f, int rank, const std::vector<comm::Request>& all) {
  for (;;) {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (completed(all[i], f.now())) return i;
    progress(f, rank, all);
  }
}

void FmplMessages::finish(comm::Fiber& f, int rank) {
  End& me = ends_[static_cast<std::size_t>(rank)];
  while (!me.sends.empty()) progress(f, rank, {});
  while (!me.leaving.empty()) progress(f, rank, {me.leaving.front().request});
}

std::vector<std::string> FmplMessages::leftovers() const {
  std::vector<std::string> out;
  for (std::size_t rank = 0; rank < ends_.size(); ++rank) {
    for (const Pending& p : ends_[rank].own_sends)
      out.push_back(fmt::format("nobody received a message of {} to itself", comm::who(p.envelope)));
    for (const Pending& p : ends_[rank].sends)
      out.push_back(fmt::format("nobody received a message of {} to rank {}", comm::who(p.envelope), p.peer));
    for (const Pending& p : ends_[rank].receives)
      out.push_back(fmt::format("rank {} posted a receive of {} by matching slot {}, which nobody used", rank,
                                comm::who(p.envelope), p.slot));
    for (const Pending& p : ends_[rank].own_receives)
      out.push_back(fmt::format("rank {} posted a receive of {} of itself", rank, comm::who(p.envelope)));
  }
  return out;
}

}  // namespace tsunagi::libraries
