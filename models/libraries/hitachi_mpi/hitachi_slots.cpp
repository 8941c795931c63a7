// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/hitachi_mpi/hitachi_slots.hpp"

#include <utility>

#include "models/libraries/envelope_line.hpp"

namespace tsunagi::libraries {

namespace {

constexpr Bytes slot_word{8};  // a flag, or a count

/// Whether an envelope is handled as a message, which is matched or goes on; an answer says what a request waits for.
bool handled(const comm::Envelope& e) { return e.kind != comm::Envelope::Kind::clear_to_send; }

}  // namespace

HitachiSlots::HitachiSlots(comm::ByRank<ComBufNode>& nodes, const HitachiMpiConfig& c, const std::string& what,
                           int slots, int under_way, Bytes payload, SendRights& rights, const comm::Steps& step)
    : nodes_(nodes),
      send_cycles_(c.send_cycles),
      receive_cycles_(c.receive_cycles),
      wait_cycles_(c.wait_cycles),
      slots_(static_cast<std::uint64_t>(slots)),
      under_way_(static_cast<std::uint64_t>(under_way)),
      size_(host::Core::line * units_of(EnvelopeLine::size + payload, host::Core::line)),
      rights_(rights),
      step_(step),
      peers_(nodes.size() * nodes.size()),
      heard_(nodes.size()) {
  const auto ranks = static_cast<std::int64_t>(nodes.size());
  for (ComBufNode& n : nodes) {
    incoming_field_ = n.take_field("buffers of " + what, size_ * slots * ranks, &incoming_);
    flag_field_ = n.take_field("flags of " + what, slot_word * slots * ranks, &flags_);
    taken_field_ = n.take_field("acknowledgements of " + what, slot_word * ranks, &taken_);
    outgoing_ = n.take("buffers to send " + what, size_ * slots * ranks).base;
    tcws_ = n.take("TCWs of " + what, sr8000::Tcw::size * slots * ranks).base;
    taken_source_ = n.take("counts of " + what, slot_word * ranks).base;
    taken_tcws_ = n.take("TCWs of acknowledgements of " + what, sr8000::Tcw::size * ranks).base;
  }
}

HitachiSlots::Peer& HitachiSlots::peer(int rank, int other) {
  Peer& p = peers_[static_cast<std::size_t>(rank) * nodes_.size() + static_cast<std::size_t>(other)];
  if (p.flags.empty()) {
    p.flags.resize(slots_);
    p.lengths.resize(slots_);
  }
  return p;
}

const HitachiSlots::Peer& HitachiSlots::peer(int rank, int other) const {
  return peers_[static_cast<std::size_t>(rank) * nodes_.size() + static_cast<std::size_t>(other)];
}

/// Of the slot of a message, among all slots of a rank.
std::uint64_t HitachiSlots::number(int peer, std::uint64_t message) const {
  return static_cast<std::uint64_t>(peer) * slots_ + message % slots_;
}

std::uint64_t HitachiSlots::taken_word(int to) const {
  return taken_ + unsigned_of(slot_word) * (static_cast<std::uint64_t>(to) + 1);
}

std::uint64_t HitachiSlots::acknowledged(int from, int to) const { return nodes_[from].said(taken_word(to)); }

bool HitachiSlots::room(int from, int to) const { return peer(from, to).filled - acknowledged(from, to) < slots_; }

bool HitachiSlots::due(int from, int to) const {
  const Peer& p = peer(from, to);
  return p.sent < p.filled && p.sent - acknowledged(from, to) < under_way_;
}

host::Core::Polled HitachiSlots::room_word(int from, int to) const {
  const Peer& p = peer(from, to);
  const std::uint64_t full = p.sent < p.filled ? p.sent - under_way_ : p.filled - slots_;
  return {taken_word(to), slot_word, [full](std::uint64_t taken) { return taken > full; }};
}

void HitachiSlots::fill(Fiber& f, int from, int to, const comm::Envelope& e, std::uint64_t source, Bytes n) {
  ComBufNode& me = nodes_[from];
  Peer& p = peer(from, to);
  const std::uint64_t mine = number(to, p.filled), theirs = number(from, p.filled);
  const std::uint64_t at = outgoing_ + unsigned_of(size_) * mine;
  rights_.acquire(f, from, to);
  if (handled(e)) step_(f, from, "make a header", [&] { me.core().execute(f, "header", send_cycles_); });
  if (n > Bytes::zero()) {
    step_.copied(comm::Copier::core, n);
    step_(f, from, "copy into the temporary area",
          [&] { me.core().copy(f, me.memory(), at + unsigned_of(EnvelopeLine::size), source, n); });
  }
  Bytes& length = p.lengths[static_cast<std::size_t>(p.filled % slots_)];
  if (length != EnvelopeLine::size + n) {
    length = EnvelopeLine::size + n;
    sr8000::Tcw t;
    t.source = at;
    t.length = length;
    t.destination = nodes_[to].nia().node();
    t.field = static_cast<std::uint16_t>(incoming_field_);
    t.offset = unsigned_of(size_) * theirs;
    t.flagged = true;
    t.flag_field = static_cast<std::uint16_t>(flag_field_);
    t.flag_offset = unsigned_of(slot_word) * theirs;
    step_(f, from, "build TCW", [&] { me.build(f, tcws_ + unsigned_of(sr8000::Tcw::size) * mine, t); });
  }
  p.waiting.push_back(e);
  ++p.filled;
}

void HitachiSlots::kick(Fiber& f, int from, int to) {
  Peer& p = peer(from, to);
  const std::uint64_t mine = number(to, p.sent);
  const EnvelopeLine line(p.waiting.front(), ++p.sent);
  p.waiting.pop_front();
  step_(f, from, "kick TCW", [&] {
    nodes_[from].kick(f, tcws_ + unsigned_of(sr8000::Tcw::size) * mine,
                      {{outgoing_ + unsigned_of(size_) * mine, line.bytes()}});
  });
}

host::Core::Polled HitachiSlots::arrival_word(int rank, int from) const {
  const Peer& p = peer(rank, from);
  const std::uint64_t last = p.flags.empty() ? 0 : p.flags[static_cast<std::size_t>(p.taken % slots_)];
  return {flags_ + unsigned_of(slot_word) * (number(from, p.taken) + 1), slot_word,
          [last](std::uint64_t said) { return said != last; }};
}

bool HitachiSlots::arrived(int rank, int from) const {
  const host::Core::Polled w = arrival_word(rank, from);
  return w.until(nodes_[rank].said(w.end));
}

std::uint64_t HitachiSlots::bytes(int rank, int from) const {
  return incoming_ + unsigned_of(size_) * number(from, peer(rank, from).taken) + unsigned_of(EnvelopeLine::size);
}

HitachiSlots::Came HitachiSlots::look(Fiber& f, int rank, int from) const {
  const ComBufNode& me = nodes_[rank];
  const Time at = me.memory().word_ending_at(arrival_word(rank, from).end).since;
  const std::uint64_t header = bytes(rank, from) - unsigned_of(EnvelopeLine::size);
  comm::Envelope came;
  step_(f, rank, "read the header", [&] {
    me.core().execute(f, "found flag", wait_cycles_);
    me.core().touch(f, me.memory(), header, EnvelopeLine::size, "header");
    came = EnvelopeLine::decode(me.memory().bytes(header, EnvelopeLine::size));
    if (handled(came)) me.core().execute(f, "header", receive_cycles_);
  });
  return {came, at};
}

void HitachiSlots::free(Fiber& f, int rank, int from) {
  Peer& p = peer(rank, from);
  std::uint64_t& flag = p.flags[static_cast<std::size_t>(p.taken % slots_)];
  flag = nodes_[rank].said(arrival_word(rank, from).end);
  if (p.taken++ == 0) ++heard_[rank];
  acknowledge(f, rank, from);
}

void HitachiSlots::acknowledge(Fiber& f, int rank, int from) {
  ComBufNode& me = nodes_[rank];
  Peer& p = peer(rank, from);
  const std::uint64_t at = taken_source_ + unsigned_of(slot_word) * static_cast<std::uint64_t>(from);
  const std::uint64_t tcw = taken_tcws_ + unsigned_of(sr8000::Tcw::size) * static_cast<std::uint64_t>(from);
  if (!std::exchange(p.acknowledges, true)) {
    sr8000::Tcw t;
    t.source = at;
    t.length = slot_word;
    t.destination = nodes_[from].nia().node();
    t.field = static_cast<std::uint16_t>(taken_field_);
    t.offset = unsigned_of(slot_word) * static_cast<std::uint64_t>(rank);
    me.preset(tcw, t);
  }
  rights_.acquire(f, rank, from);
  // A later count may go in place of this one: then that is as true.
  const flow::WordBytes taken(p.taken);
  step_(f, rank, "acknowledge", [&] { me.kick(f, tcw, {{at, taken}}); });
}

}  // namespace tsunagi::libraries
