// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/fmpl/fmpl_messages.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "comm/messages/who.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

namespace {

const char* data_send_of(bool kept) { return kept ? "data send from the buffer" : "data send"; }

}  // namespace

FmplMessages::FmplMessages(const FmplConfig& c, std::vector<ComBufNode>& nodes, const comm::Steps& step,
                           comm::Processor& processor)
    : config_(c),
      nodes_(nodes),
      step_(step),
      slots_(c, nodes),
      any_source_(c, nodes, slots_, step),
      one_copy_(c, nodes, step),
      own_(one_copy_, step, processor, witness_, carried_, nodes.size()),
      ends_(nodes.size()) {
  for (ComBufNode& n : nodes) n.attend_to(*this, static_cast<int>(&n - nodes.data()));
}

comm::Protocol FmplMessages::protocol() const {
  std::string why = "the receive's header meets the send in its matching slot";
  if (config_.send_buffer > Bytes::zero())
    why += "; a send that waits longer than \"timeout\" for it is copied to the send buffer, if there is room";
  return {"matched at the sender", 0, 0, {"header of the receive"}, why};
}

comm::Request FmplMessages::isend(Fiber& f, int from, int to, int context, int tag, const comm::Buffer& b) {
  FmplPending p;
  p.request = requests_.make(f.now());
  p.peer = to;
  p.bytes = b;
  p.envelope.kind = comm::Envelope::Kind::finished;
  p.envelope.source = from;
  p.envelope.context = context;
  p.envelope.tag = tag;
  p.envelope.size = b.size;
  const bool anybody = b.method == FmplAnySource::method;
  if (anybody && (!config_.any_source || to == from))
    throw std::runtime_error(fmt::format(
        "rank {} sends to rank {} by send_any, which library fmpl has with \"any_source\" alone, and between "
        "two ranks",
        from, to));
  End& me = end(from);
  p.envelope.sequence = me.sequences[to]++;
  carried_.leaves(p.envelope, to, b);
  step_.sent(b.size);
  witness_.begins(p.envelope, to, p.request);
  if (to == from) {
    own_.send(f, from, p);
  } else {
    p.slot = anybody ? slots_.any_source_slot() : slots_.of_send(from, to, context, tag);
    wait_for_slot(f, from, p);
    slots_.at(from, to, p.slot).sends = true;
    step_(f, from, "initial processing (send)", [&] { begin(f, from, p, "fmpl_send begins"); });
    if (anybody) any_source_.announce(f, from, p);
    const bool asked = slots_.header_is_there(from, to, p.slot);
    if (asked) start_data(f, from, p);
    (asked ? me.leaving : me.sends).push_back(p);
  }
  witness_.sent(p.envelope, to, b.method, p.request, f.now());
  return p.request;
}

comm::Request FmplMessages::irecv(Fiber& f, int rank, const comm::Pattern& want, const comm::Buffer& b) {
  FmplPending p;
  p.request = requests_.make(f.now());
  p.peer = want.source;
  p.bytes = b;
  p.envelope.context = want.context;
  p.envelope.tag = want.tag;
  p.envelope.size = b.size;
  p.envelope.source = want.source;
  if (want.source == comm::any_source) {
    if (const std::optional<int> source = any_source_.post(f, rank, p)) accept(f, rank, p, *source);
    return p.request;
  }
  if (want.source == rank) {
    own_.receive(f, rank, p);
    return p.request;
  }
  p.slot = slots_.of_receive(rank, want.source, want.context, want.tag);
  FmplSlots::Slot& s = slots_.at(rank, want.source, p.slot);
  if (s.receives)
    throw std::runtime_error(
        fmt::format("rank {} receives from rank {} by matching slot {}, which a receive before still "
                    "has",
                    rank, want.source, p.slot));
  s.receives = true;
  step_(f, rank, "initial processing (recv)", [&] { begin(f, rank, p, "fmpl_recv begins"); });
  ask(f, rank, p);
  return p.request;
}

void FmplMessages::begin(Fiber& f, int rank, const FmplPending& p, const char* what) {
  node(rank).core().execute(f, what, config_.begin_cycles);
  slots_.look_up(f, rank, p.peer, p.slot);
}

void FmplMessages::ask(Fiber& f, int rank, const FmplPending& p) {
  step_(f, rank, "header send", [&] {
    slots_.send_header(f, rank, p.peer, p.slot, p.bytes.offset, p.bytes.size);
    node(rank).core().execute(f, "note receive", config_.post_cycles);
  });
  end(rank).receives.push_back(p);
}

void FmplMessages::accept(Fiber& f, int rank, FmplPending p, int source) {
  p.peer = source;
  p.slot = slots_.any_source_slot();
  slots_.at(rank, source, p.slot).receives = true;
  ask(f, rank, p);
}

void FmplMessages::hear(Fiber& f, int rank, int peer) {
  if (const std::optional<FmplPending> receive = any_source_.hear(f, rank, peer)) accept(f, rank, *receive, peer);
}

void FmplMessages::start_data(Fiber& f, int rank, FmplPending& p) {
  FmplSlots::Header to;
  step_(f, rank, "header reception", [&] { to = slots_.read_header(f, rank, p.peer, p.slot); });
  if (p.bytes.size > to.size)
    throw std::runtime_error(
        fmt::format("truncated: rank {} sends {} to rank {} by matching slot {}, which receives {}", rank,
                    to_string(p.bytes.size), p.peer, p.slot, to_string(to.size)));
  step_(f, rank, data_send_of(p.kept.has_value()), [&] {
    slots_.change_data(f, rank, p.peer, p.slot, to, one_copy_.source_of(rank, p), p.bytes.size);
    witness_.handed(p.envelope, rank, p.peer, p.request, f.now());
    under_way_[{rank, p.peer, to.slot}] = p.envelope;
    p.transfer = slots_.kick_data(f, rank, p.peer, p.slot, to);
  });
}

void FmplMessages::end_data(Fiber& f, int rank, const FmplPending& p) {
  step_.go_on(f, rank, data_send_of(p.kept.has_value()), [&] { node(rank).wait_sent(f, p.transfer); });
  slots_.at(rank, p.peer, p.slot).sends = false;
  p.request.reach(comm::Milestone::started, f.now());
  if (p.kept)
    one_copy_.give_back(rank, p);
  else
    p.request.reach(comm::Milestone::completed, f.now());
}

void FmplMessages::receive_data(Fiber& f, int rank, const FmplPending& p) {
  step_(f, rank, "data reception", [&] { slots_.wait_data(f, rank, p.peer, p.slot); });
  slots_.at(rank, p.peer, p.slot).receives = false;
  const auto sent = under_way_.find({p.peer, rank, p.slot});
  const comm::Envelope e = sent->second;
  under_way_.erase(sent);
  witness_.found(rank, p.peer, {e, 0, f.now()});
  carried_.arrives(e, rank, p.bytes);
  comm::Request request = p.request;
  request.set_status({e.source, e.tag, e.size});
  request.reach(comm::Milestone::delivered, f.now());
  request.reach(comm::Milestone::completed, f.now());
  witness_.received(e, rank, p.bytes.method, request.at(comm::Milestone::posted), f.now());
}

void FmplMessages::wait_all(Fiber& f, int rank, const std::vector<comm::Request>& all) {
  for (const comm::Request& r : all)
    while (!completed(r, f.now())) progress(f, rank, {r});
}

std::size_t FmplMessages::wait_any(Fiber& f, int rank, const std::vector<comm::Request>& all) {
  for (;;) {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (completed(all[i], f.now())) return i;
    progress(f, rank, all);
  }
}

void FmplMessages::finish(Fiber& f, int rank) {
  const End& me = end(rank);
  while (!me.sends.empty() || !me.kept.empty()) progress(f, rank, {});
  while (!me.leaving.empty()) progress(f, rank, {me.leaving.front().request});
}

std::vector<std::string> FmplMessages::leftovers() const {
  std::vector<std::string> out;
  for (int rank = 0; rank < static_cast<int>(ends_.size()); ++rank) {
    for (const FmplPending& p : own_.sends(rank))
      out.push_back(fmt::format("nobody received a message of {} to itself", comm::who(p.envelope)));
    for (const Sends* sends : {&end(rank).sends, &end(rank).kept})
      for (const FmplPending& p : *sends)
        out.push_back(fmt::format("nobody received a message of {} to rank {}", comm::who(p.envelope), p.peer));
    for (const FmplPending& p : end(rank).receives)
      out.push_back(fmt::format("rank {} posted a receive of {} by matching slot {}, which nobody used", rank,
                                comm::who(p.pattern()), p.slot));
    for (const FmplPending& p : any_source_.receives(rank))
      out.push_back(fmt::format("rank {} posted a receive of {}, to which nobody sent", rank, comm::who(p.pattern())));
    for (const FmplPending& p : own_.receives(rank))
      out.push_back(fmt::format("rank {} posted a receive of {} of itself", rank, comm::who(p.pattern())));
  }
  return out;
}

}  // namespace tsunagi::libraries
