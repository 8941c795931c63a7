// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/verbs/messages/verbs_messages.hpp"

#include <stdexcept>

namespace tsunagi::libraries {

using comm::Milestone;

namespace {

constexpr Bytes queue_entries = 1_MiB;
/// What a clear to send says of a message that is to come in pieces, and no address is.
constexpr std::uint64_t pieces = 1;

/// Those of a message that travel with its envelope.
Bytes bytes_behind(const comm::Envelope& e) { return e.kind == comm::Envelope::Kind::eager ? e.size : Bytes::zero(); }

}  // namespace

VerbsMessages::VerbsMessages(std::vector<VerbsNode>& nodes, const VerbsMessagesConfig& c, const comm::Steps& step)
    : config_(c),
      step_(step),
      memory_(nodes, step),
      engine_(nodes, memory_, c, step),
      rendezvous_(engine_, c, static_cast<int>(nodes.size())),
      pieces_(engine_, memory_, c.r3_window, static_cast<int>(nodes.size())) {
  for (VerbsNode& n : nodes) {
    const process::Area unexpected = n.take("unexpected messages", engine_.buffer_size() * c.unexpected);
    const process::Area queues = n.take("matching queues", queue_entries * 2);
    states_.push_back({{unexpected.base, engine_.buffer_size(), c.unexpected}, protocols::MatchingQueues(queues)});
  }
}

void VerbsMessages::post(Fiber& f, int from, int to, const comm::Envelope& e, const comm::Buffer* b,
                         const comm::Request* request) {
  if (e.kind == comm::Envelope::Kind::clear_to_send && e.target >= DeviceBuffers::first_ticket)
    return devices()->clear(f, from, e);
  if (b != nullptr) memory_.look_at(f, from, "sends", *b);
  if (request != nullptr) request->reach(Milestone::started, f.now());
  // As the finished of a write, it never goes by a slot.
  if (e.kind == comm::Envelope::Kind::fetched)
    return engine_.send_behind(f, from, to, engine_.take_turn(from), {e}, {});
  engine_.send(f, from, to, {e}, b);
  if (request != nullptr) request->reach(Milestone::completed, f.now());
}

std::uint64_t VerbsMessages::offer(Fiber& f, int from, const comm::Buffer& b) {
  memory_.look_at(f, from, "sends", b);
  return offers(b) ? rendezvous_.expose(f, from, memory_.address(from, b), b.size) : 0;
}

bool VerbsMessages::fetch(Fiber& f, int rank, const comm::Envelope& e, const comm::Buffer& b) {
  if (e.target == 0 || !fetches(b)) return false;
  memory_.look_at(f, rank, "receives", b);
  rendezvous_.get(f, rank, memory_.address(rank, b), b.size, e);
  return true;
}

std::uint64_t VerbsMessages::expose(Fiber& f, int rank, const comm::Envelope& e, const comm::Buffer& b) {
  memory_.look_at(f, rank, "receives", b);
  switch (into(b)) {
    case Into::blocks:
      return devices()->expect(f, rank, b);
    case Into::place:
      return rendezvous_.expose(f, rank, memory_.address(rank, b), b.size);
    case Into::pieces:
      break;
  }
  pieces_.expect(rank, e, b);
  return pieces;
}

void VerbsMessages::put(Fiber& f, int from, int to, const comm::Buffer& b, std::uint64_t target,
                        const comm::Envelope& last, const comm::Request& request) {
  if (target == pieces) return pieces_.put(f, from, to, b, last, request);
  if (!memory_.card_reads(b) || (devices() != nullptr && devices()->into_blocks(from, to, last)))
    return devices()->put(f, from, to, b, target, last, request);
  rendezvous_.put(f, from, to, memory_.address(from, b), b.size, target, last, request);
}

bool VerbsMessages::heard(Fiber& f, int rank, const VerbsEngine::Arrived& a) {
  using Notice = MessageHeader::Notice;
  const MessageHeader& h = a.header;
  if (!h.blocks.empty() || h.notice == Notice::block_filled) devices()->told(f, rank, a.peer, h);
  if (h.notice == Notice::piece) pieces_.take(f, rank, h.envelope, engine_.place_of(rank, a.handle));
  if (h.notice == Notice::pieces_taken) pieces_.taken(rank, h.envelope.source, h.envelope.size);
  return h.notice != Notice::none ||
         (h.envelope.kind == comm::Envelope::Kind::finished && !rendezvous_.finished(rank, h.envelope));
}

std::optional<comm::Arrival> VerbsMessages::next(Fiber& f, int rank) {
  for (;;) {
    engine_.complete(f, rank);
    rendezvous_.go_on(f, rank);
    pieces_.go_on(f, rank);
    if (auto done = rendezvous_.arrived(rank)) return done;
    if (auto done = pieces_.arrived(rank)) return done;
    if (devices() != nullptr) {
      devices()->progress(f, rank);
      if (auto done = devices()->finished(rank)) return done;
    }
    const std::optional<VerbsEngine::Arrived> a = engine_.next(f, rank);
    if (!a) return std::nullopt;
    if (!heard(f, rank, *a)) return comm::Arrival{a->header.envelope, a->handle, a->at};
    engine_.give_back(f, rank, a->handle, a->header.notice != MessageHeader::Notice::slots);
  }
}

void VerbsMessages::wait(Fiber& f, int rank, const std::vector<Event*>&, Time) {
  // Events of devices are asked for, and nothing else tells of them.
  if (devices() == nullptr || !devices()->busy(rank)) engine_.wait(f, rank);
}

void VerbsMessages::attend(Fiber& f, int rank, To what, Event& told, const std::function<bool()>& over) {
  // Copies' ends are asked for, and nothing else tells of them.
  if (what == To::everything && devices() != nullptr && devices()->busy(rank)) return;
  engine_.attend(f, rank, what == To::what_others_need, told, over);
}

std::uint64_t VerbsMessages::address_of(int rank, const comm::Arrival& a) {
  return a.held == comm::Held::aside ? state(rank).unexpected.address(a.handle) : engine_.place_of(rank, a.handle);
}

void VerbsMessages::take(Fiber& f, int rank, const comm::Arrival& a, const comm::Buffer& b) {
  if (const Bytes n = bytes_behind(a.envelope); n > Bytes::zero()) {
    memory_.look_at(f, rank, "receives", b);
    comm::Buffer into = b;
    into.size = n;
    memory_.copy_in(f, rank, into, address_of(rank, a));
  }
  if (a.held == comm::Held::aside) state(rank).unexpected.give_back(a.handle);
  if (a.held == comm::Held::as_it_came) engine_.give_back(f, rank, a.handle);
}

bool VerbsMessages::needs_place(int rank, const comm::Arrival& a) const {
  return a.held == comm::Held::as_it_came && engine_.takes_receive(a.handle) && engine_.ran_out(rank);
}

void VerbsMessages::set_aside(Fiber& f, int rank, comm::Arrival& a) {
  if (a.held != comm::Held::as_it_came) return;
  const std::uint64_t handle = a.handle;
  a.handle = state(rank).unexpected.copy_aside(f, rank, step_, node(rank), engine_.place_of(rank, handle),
                                               bytes_behind(a.envelope));
  a.held = comm::Held::aside;
  engine_.give_back(f, rank, handle);
}

void VerbsMessages::visit(Fiber& f, int rank, Queue q, const std::vector<std::uint32_t>& entries) {
  state(rank).queues.visit(f, rank, step_, node(rank), q, entries);
}

}  // namespace tsunagi::libraries
