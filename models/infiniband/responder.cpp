// SPDX-License-Identifier: Apache-2.0
#include "models/infiniband/responder.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tsunagi::infiniband {

namespace {

/// Room that a receive of a datagram has for a global route header (verbs: 40 B in front of the data).
constexpr Bytes global_header{40};

/// Answers of atomic operations that are kept: as many as a peer can have under way.
constexpr std::size_t kept_atomics = 128;

}  // namespace

Responder::Responder(CardParts& parts, const QueuePairConfig& c, std::uint32_t lid, int writer,
                     CompletionQueue& completions, ReceiveQueue* receives, const Registrations& registered)
    : parts_(parts),
      config_(c),
      number_(static_cast<std::uint32_t>(c.number)),
      lid_(lid),
      writer_(writer),
      completions_(completions),
      receives_(receives),
      registered_(registered),
      stream_(parts.engine.add(*this, c.port, c.number, SendEngine::Kind::answers)) {}

void Responder::requested(net::Delivery d, const net::Cause& by) {
  waiting_.push_back({std::move(d), by});
  if (!held_) process();
}

void Responder::process() {
  while (!waiting_.empty()) {
    Waiting& w = waiting_.front();
    const Header& h = w.packet.packet->header<Header>();
    Context& c = context(w);
    const std::int32_t off = reliable() ? ahead(h.sequence, c.expected) : 0;
    if (off < 0) {
      again(w);
    } else if (off > 0) {
      if (!c.refused) answer({Opcode::acknowledge, c.expected, sequence_error, 0, {}, 1, 0, 0, w.by}, w);
      c.refused = true;
      drop(w);
    } else if (handle(w) == Handled::waits) {
      held_ = true;
      return;
    }
    waiting_.pop_front();
  }
}

/// A packet that has been taken before: its answer was lost.
void Responder::again(Waiting& w) {
  const Header h = w.packet.packet->header<Header>();
  if (h.code() == Opcode::read_request) {
    // Who asks again asks again for all that follows, too.
    forget_answers(h.sequence);
    return handle_read(w);
  }
  if (is_atomic(h.code())) {
    for (std::size_t i = 0; i < atomics_.size(); ++i)
      if (atomics_[i].sequence == h.sequence) answer(atomics_[i], w);
  } else if (h.ask != 0) {
    answer({Opcode::acknowledge, (context(w).expected - 1) & number_mask, acknowledged, 0, {}, 1, 0, 0, w.by}, w);
  }
  drop(w);
}

/// Those that have packets from sequence number `from` on.
void Responder::forget_answers(std::uint32_t from) {
  for (std::size_t n = answers_.size(); n > 0; --n) {
    const Answer a = answers_.take_front();
    if (ahead((a.sequence + a.packets) & number_mask, from) <= 0) answers_.push_back(a);
  }
  parts_.engine.recall(stream_, from);
}

Responder::Handled Responder::handle(Waiting& w) {
  const Opcode code = w.packet.packet->header<Header>().code();
  if (is_send(code)) return handle_send(w);
  if (is_atomic(code)) return handle_atomic(w);
  if (code == Opcode::read_request)
    handle_read(w);
  else
    handle_write(w);
  return Handled::done;
}

void Responder::accept(const Waiting& w, std::uint32_t packets) {
  const Header& h = w.packet.packet->header<Header>();
  Context& c = context(w);
  c.expected = (h.sequence + packets) & number_mask;
  c.refused = false;
  if (reliable() && h.ask != 0) answer({Opcode::acknowledge, h.sequence, acknowledged, 0, {}, 1, 0, 0, w.by}, w);
}

void Responder::refuse(Waiting& w, Syndrome why) {
  answer({Opcode::acknowledge, w.packet.packet->header<Header>().sequence, why, 0, {}, 1, 0, 0, w.by}, w);
  context(w).refused = true;
  drop(w);
}

void Responder::store(Waiting& w, std::uint64_t address) {
  flow::Packet& p = *w.packet.packet;
  if (p.payload == Bytes::zero()) return drop(w);
  dma::Port::Write data;
  data.address = address;
  data.size = p.payload;
  data.contents = std::move(p.contents);
  data.origin = p.origin;
  data.origin_offset = p.origin_offset;
  data.held = std::move(w.packet.slot);
  data.data = true;
  parts_.host.write(writer_, std::move(data), {std::max(w.by.when, now()), w.by, net::Stage::pipeline, "received"});
}

void Responder::handle_write(Waiting& w) {
  const flow::Packet& p = *w.packet.packet;
  if (p.payload > Bytes::zero() && !registered_.cover(p.address, p.payload)) return refuse(w, remote_access_error);
  accept(w);
  store(w, p.address);
}

Responder::Handled Responder::handle_send(Waiting& w) {
  const flow::Packet& p = *w.packet.packet;
  const Opcode code = p.header<Header>().code();
  const bool begins = begins_message(code);
  Message& message = context(w).message;
  if (begins && (receives_ == nullptr || !receives_->any())) {
    if (receives_ != nullptr && !asked_) {
      asked_ = true;
      receives_->fetch(*this, w.by);
      return Handled::waits;
    }
    asked_ = false;
    if (reliable()) {
      refuse(w, receiver_not_ready);
    } else {
      ++dropped_;
      drop(w);
    }
    return Handled::done;
  }
  asked_ = false;
  if (begins) {
    message.receive = receives_->take();
    message.came = reliable() ? Bytes::zero() : global_header;
  }
  if (message.came + p.payload > message.receive.what.length) {
    if (reliable()) {
      refuse(w, invalid_request);
    } else {
      ++dropped_;
      drop(w);
    }
    return Handled::done;
  }
  const std::uint64_t to = message.receive.what.address + unsigned_of(message.came);
  message.came += p.payload;
  accept(w);
  const net::Cause by = w.by;
  const std::uint32_t source = p.header<Header>().route.source;
  const auto immediate = static_cast<std::uint32_t>(p.address);
  store(w, to);
  if (!ends_message(code)) return Handled::done;
  Completion c;
  c.queue_pair = number_;
  c.index = message.receive.index;
  c.receive = true;
  c.length = message.came;
  c.source = source;
  c.has_immediate = code == Opcode::send_last_immediate || code == Opcode::send_only_immediate;
  c.immediate = c.has_immediate ? immediate : 0;
  completions_.push(parts_, writer_, c, by);
  return Handled::done;
}

void Responder::handle_read(Waiting& w) {
  const flow::Packet& p = *w.packet.packet;
  const Header h = p.header<Header>();
  const Bytes n = p.stride;
  if (n > Bytes::zero() && !registered_.cover(p.address, n)) return refuse(w, remote_access_error);
  Answer a;
  a.code = Opcode::read_response_only;
  a.sequence = h.sequence;
  a.from = p.address;
  a.length = n;
  a.packets = static_cast<std::uint32_t>(std::max<std::int64_t>(units_of(n, config_.mtu), 1));
  a.by = w.by;
  if (ahead(h.sequence, context(w).expected) == 0) accept(w, a.packets);
  answer(a, w);
  drop(w);
}

Responder::Handled Responder::handle_atomic(Waiting& w) {
  const flow::Packet& p = *w.packet.packet;
  if (p.address % 8 != 0 || !registered_.cover(p.address, 8_B)) {
    refuse(w, remote_access_error);
    return Handled::done;
  }
  if (parts_.words.take(p.address, *this))
    read_word({std::max(w.by.when, now()), w.by, net::Stage::pipeline, "received"});
  return Handled::waits;
}

void Responder::word_taken(net::Cause by) {
  read_word({std::max(by.when, now()), by, net::Stage::pipeline, "atomic operation before"});
}

void Responder::read_word(const net::Wait& ready) {
  parts_.host.read_behind(*this, 0, waiting_.front().packet.packet->address, 8_B, ready);
}

void Responder::data_came(std::uint64_t, flow::Contents bytes, net::Cause last) {
  Waiting& w = waiting_.front();
  const flow::Packet& p = *w.packet.packet;
  const Header h = p.header<Header>();
  const std::uint64_t found = bytes ? bytes.word(Bytes::zero()) : 0;
  const std::uint64_t operand = p.contents.word(Bytes::zero()), compare = p.contents.word(Bytes(8));
  const bool adds = h.code() == Opcode::fetch_and_add;
  if (atomics_.size() == kept_atomics) atomics_.pop_front();
  atomics_.push_back({Opcode::atomic_acknowledge, h.sequence, acknowledged, 0, {}, 1, 0, found, last});
  if (adds || found == compare) {
    dma::Port::Write data;
    data.address = p.address;
    data.size = 8_B;
    data.contents.add(parts_.pool.contents(), Bytes::zero(), flow::WordBytes(adds ? found + operand : operand));
    parts_.host.write(writer_, std::move(data), {std::max(last.when, now()), last, net::Stage::pipeline, "atomic"});
  }
  parts_.words.give_back(p.address, last);
  context(w).expected = (h.sequence + 1) & number_mask;
  context(w).refused = false;
  answer(atomics_.back(), w);
  drop(w);
  waiting_.pop_front();
  held_ = false;
  process();
}

void Responder::receives_fetched(net::Cause last, bool any) {
  if (any && !receives_->any()) asked_ = false;  // others have taken them: there may be more
  if (last.when > waiting_.front().by.when) waiting_.front().by = last;
  held_ = false;
  process();
}

Responder::Context& Responder::context(const Waiting& w) {
  if (config_.service != Service::reliable_datagram) return context_;
  return contexts_[w.packet.packet->header<Header>().route.source];
}

void Responder::answer(Answer a, const Waiting& w) {
  const flow::Packet& p = *w.packet.packet;
  const bool datagram = config_.service == Service::reliable_datagram;
  a.lid = datagram ? p.header<Header>().route.source : config_.peer_lid;
  a.queue_pair = datagram ? static_cast<std::uint32_t>(p.address) : config_.peer;
  // One acknowledgement stands for those before it.
  const std::size_t n = answers_.size();
  if (n > 0 && a.code == Opcode::acknowledge && answers_[n - 1].code == Opcode::acknowledge &&
      answers_[n - 1].syndrome == acknowledged && answers_[n - 1].lid == a.lid)
    answers_[n - 1] = a;
  else
    answers_.push_back(a);
  parts_.engine.wake(stream_);
}

bool Responder::next(Outgoing& out) {
  if (answers_.empty()) return false;
  Answer& a = answers_.front();
  const std::uint32_t packet = a.sent++;
  const bool first = packet == 0, last = a.sent == a.packets;
  out.header.route = route(parts_, config_, lid_, a.lid);
  out.header.queue_pair = a.queue_pair;
  out.header.datagram = config_.service == Service::reliable_datagram ? 1 : 0;
  out.header.sequence = (a.sequence + packet) & number_mask;
  out.header.syndrome = a.syndrome;
  out.why = {a.by.when, a.by, net::Stage::pipeline, "answer"};
  Opcode code = a.code;
  if (code == Opcode::read_response_only) {
    const Bytes offset = config_.mtu * static_cast<std::int64_t>(packet);
    out.payload = std::min(config_.mtu, a.length - offset);
    out.from = a.from + unsigned_of(offset);
    out.behind = true;
    out.origin_offset = out.from;
    out.set_up_cycles = first ? parts_.read_cycles : 0;
    if (!last) code = first ? Opcode::read_response_first : Opcode::read_response_middle;
    if (last && !first) code = Opcode::read_response_last;
  } else if (code == Opcode::atomic_acknowledge) {
    out.payload = 8_B;
    out.here = true;
    out.contents.add(parts_.pool.contents(), Bytes::zero(), flow::WordBytes(a.value));
  }
  out.header.opcode = static_cast<std::uint32_t>(code);
  if (last) answers_.pop_front();
  out.last = answers_.empty();
  return true;
}

}  // namespace tsunagi::infiniband
