// SPDX-License-Identifier: Apache-2.0
#include "models/myrinet/reliable/reliable_firmware.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "units/parse.hpp"

namespace tsunagi::myrinet {

using protocols::behind;

ReliableFirmware::ReliableFirmware(net::Device& card, flow::PacketPool& pool, PacketSender& sender,
                                   PacketReceiver& receiver, const ReliableConfig& c, Costs costs)
    : card_(card), pool_(pool), sender_(sender), receiver_(receiver), config_(c), costs_(costs) {
  sender.set_layer(*this);
  receiver.set_layer(*this);
}

void ReliableFirmware::set_place(int place, int terminals) {
  place_ = place;
  peers_.resize(static_cast<std::size_t>(terminals));
}

ReliableFirmware::Peer& ReliableFirmware::peer(int place) {
  std::unique_ptr<Peer>& p = peers_.at(static_cast<std::size_t>(place));
  if (p == nullptr) p = std::make_unique<Peer>(*this, place, config_.window);
  return *p;
}

Bytes ReliableFirmware::most() const { return card_.ports()[1].max_payload() - Lead::size; }

void ReliableFirmware::check(const SendDescriptor& d) const {
  const auto fail = [this](const std::string& what) { throw std::runtime_error(card_.name() + ": " + what); };
  if (d.number != last_ + 1) fail(fmt::format("descriptor {} of a send came behind descriptor {}", d.number, last_));
  if (d.destination >= peers_.size())
    fail(fmt::format("a send to terminal {}; there are {}", d.destination, peers_.size()));
  if (d.type > static_cast<std::uint32_t>(Request::read)) fail(fmt::format("a descriptor of type {}", d.type));
  if (static_cast<Request>(d.type) == Request::message && Bytes(d.length) > most())
    fail(fmt::format("a message of {} B, of which a packet carries {}", d.length, to_string(most())));
}

void ReliableFirmware::posted(const SendDescriptor& d, const net::Cause& by) {
  check(d);
  ++last_;
  Peer& p = peer(d.destination);
  constexpr Lead::Kind kinds[] = {Lead::Kind::message, Lead::Kind::write, Lead::Kind::read};
  p.jobs.push_back({kinds[d.type], d.address, d.remote, d.length, false, d.number, by});
  make_ready(p, by);
  sender_.take();
}

bool ReliableFirmware::sendable(const Peer& p) const {
  if (p.held) return false;
  return p.cursor != p.sender.next() || (!p.jobs.empty() && p.sender.open());
}

void ReliableFirmware::make_ready(Peer& p, const net::Cause& by) {
  if (!sendable(p) || p.ready) return;
  p.since = by;
  p.ready = true;
  ready_.push_back(p.place);
}

/// The next packet of the oldest job.
void ReliableFirmware::take_job(Peer& p) {
  Job& j = p.jobs.front();
  const bool reads = j.kind == Lead::Kind::read;
  const std::uint64_t n = reads ? j.left : std::min(j.left, unsigned_of(most()));
  Packet out;
  out.lead.kind = j.kind;
  out.lead.source = static_cast<std::uint16_t>(place_);
  out.lead.number = p.sender.take();
  out.lead.address = j.remote;
  out.address = j.address;
  out.length = static_cast<std::uint32_t>(n);
  out.number = j.number;
  out.by = j.by;
  j.left -= n;
  j.address += n;
  j.remote += n;
  if (j.left == 0) {
    out.tells = !reads && !j.answers;
    if (j.answers) out.lead.flags |= Lead::answers;
    if (j.kind == Lead::Kind::write) out.lead.flags |= Lead::asks;
    p.jobs.pop_front();
  }
  p.under_way.push_back(out);
}

void ReliableFirmware::fill(Peer& p, Outgoing& out) {
  if (p.cursor == p.sender.next()) take_job(p);
  const Packet& packet = p.under_way[static_cast<std::size_t>(behind(p.sender.oldest(), p.cursor))];
  const bool again = behind(p.cursor, p.furthest) > 0;
  if (again) ++sent_again_;
  ++p.cursor;
  if (!again) p.furthest = p.cursor;
  out.what = {};
  out.what.destination = static_cast<std::uint16_t>(p.place);
  out.what.number = packet.number;
  out.what.address = packet.address;
  out.what.length = packet.length;
  out.by = !again && packet.by.when > p.since.when ? packet.by : p.since;
  out.cycles = costs_.send;
  out.led = true;
  out.lead = packet.lead;
  out.contents = {};
  if (!p.sender.open() || (again && p.cursor == p.sender.next())) out.lead.flags |= Lead::asks;
  if (packet.lead.kind == Lead::Kind::read) {
    const auto bytes = ReadRequest{packet.address, packet.length}.encode();
    out.what.length = static_cast<std::uint32_t>(ReadRequest::size.count());
    out.contents.add(pool_.contents(), Bytes::zero(), {bytes.data(), bytes.size()});
  }
  restart_timer(p, out.by.packet);
}

void ReliableFirmware::fill_answer(Peer& p, Outgoing& out) {
  out.what = {};
  out.what.destination = static_cast<std::uint16_t>(p.place);
  out.by = p.answer_by;
  out.cycles = config_.acknowledge_cycles;
  out.led = true;
  out.lead = {};
  out.lead.kind = p.answer;
  out.lead.source = static_cast<std::uint16_t>(place_);
  out.lead.number = p.receiver.expected();
  out.contents = {};
  p.answering = false;
  p.owes = false;
  p.receiver.told();
  ++acknowledgements_;
}

bool ReliableFirmware::next(Outgoing& out) {
  if (!answers_.empty()) {
    fill_answer(peer(answers_.take_front()), out);
    return true;
  }
  while (!ready_.empty()) {
    Peer& p = peer(ready_.take_front());
    p.ready = false;
    if (!sendable(p)) continue;
    fill(p, out);
    if (sendable(p)) {
      p.ready = true;
      ready_.push_back(p.place);
    }
    return true;
  }
  return false;
}

void ReliableFirmware::answer(Peer& p, Lead::Kind kind, const net::Cause& by) {
  if (!p.answering) {
    p.answering = true;
    p.answer = kind;
    p.answer_by = by;
    answers_.push_back(p.place);
  } else if (kind != Lead::Kind::acknowledgement) {
    p.answer = kind;
  }
}

void ReliableFirmware::owe(Peer& p, const Lead& l, const net::Cause& by) {
  if ((l.flags & Lead::asks) != 0 || p.receiver.owed() >= config_.acknowledge_each)
    return answer(p, Lead::Kind::acknowledgement, by);
  if (p.owes) return;
  p.owes = true;
  p.owed_since = now();
  owed_.push_back({now() + config_.acknowledge_after, p.place});
  if (!owed_timer_.armed()) card_.simulation().agenda().arm(owed_timer_, owed_.front().at);
}

void ReliableFirmware::acknowledge_owed() {
  while (!owed_.empty() && owed_.front().at <= now()) {
    Peer& p = peer(owed_.take_front().place);
    // Else it was acknowledged meanwhile, and, if it owes again, stands behind once more.
    if (p.owes && p.owed_since + config_.acknowledge_after <= now()) answer(p, Lead::Kind::acknowledgement, {now(), 0});
  }
  if (!owed_.empty()) card_.simulation().agenda().arm(owed_timer_, owed_.front().at);
  sender_.take();
}

Layer::Fate ReliableFirmware::came(const Lead& l, Bytes /*n*/, const flow::Contents& data, bool buffer,
                                   const net::Wait& taken) {
  Peer& p = peer(l.source);
  if (l.acknowledges()) {
    answered(p, l, taken);
    return {};
  }
  if (l.number == p.receiver.expected() && l.kind == Lead::Kind::message && !buffer) {
    ++without_buffer_;
    if (!p.starved) starved_.push_back(p.place);
    p.starved = true;
    answer(p, Lead::Kind::busy, taken.since);
    return {};
  }
  switch (p.receiver.came(l.number)) {
    case protocols::GoBackNReceiver::Came::again:
      owe(p, l, taken.since);
      return {};
    case protocols::GoBackNReceiver::Came::gap:
      if (!p.gap_told && !p.starved) {
        p.gap_told = true;
        answer(p, Lead::Kind::again, taken.since);
      }
      return {};
    default:
      return taken_in(p, l, data, taken.since);
  }
}

Layer::Fate ReliableFirmware::taken_in(Peer& p, const Lead& l, const flow::Contents& data, const net::Cause& by) {
  p.gap_told = false;
  owe(p, l, by);
  Fate fate;
  if (l.kind == Lead::Kind::message) {
    fate.where = Fate::Where::receive_buffer;
    fate.event = true;
    fate.type = Told{Told::What::message, l.source}.encode();
  } else if (l.kind == Lead::Kind::write) {
    fate.where = Fate::Where::address;
    fate.address = l.address;
    fate.event = (l.flags & Lead::answers) != 0;
    fate.type = Told{Told::What::read, l.source}.encode();
  } else {
    std::array<std::uint8_t, 16> said{};
    if (data) data.copy(Bytes::zero(), ReadRequest::size, said.data());
    const ReadRequest r = ReadRequest::decode(said.data());
    p.jobs.push_back({Lead::Kind::write, l.address, r.to, r.length, true, 0, by});
    make_ready(p, by);
  }
  return fate;
}

void ReliableFirmware::answered(Peer& p, const Lead& l, const net::Wait& taken) {
  const bool unknown = behind(l.number, p.sender.oldest()) > 0 || behind(p.sender.next(), l.number) > 0;
  if (unknown) return;  // an older answer, which came late
  std::uint32_t done = 0;
  for (int n = p.sender.acknowledged(l.number); n > 0; --n) done += p.under_way.take_front().tells ? 1 : 0;
  if (done > 0) receiver_.tell({0, Told{Told::What::done, l.source}.encode(), done, 0}, taken);
  p.tries = 0;
  p.held = l.kind == Lead::Kind::busy;
  if (behind(p.cursor, p.sender.oldest()) > 0 || l.kind != Lead::Kind::acknowledgement) p.cursor = p.sender.oldest();
  restart_timer(p, taken.since.packet);
  make_ready(p, taken.since);
}

void ReliableFirmware::buffer_posted() {
  if (starved_.empty()) return;
  Peer& p = peer(starved_.take_front());
  p.starved = false;
  p.gap_told = true;
  answer(p, Lead::Kind::again, {now(), 0});
  sender_.take();
}

/// For observers: `by` is what started it.
void ReliableFirmware::restart_timer(Peer& p, std::uint64_t by) {
  p.started = {now(), by};
  sim::Agenda& agenda = card_.simulation().agenda();
  if (p.sender.under_way())
    agenda.arm(p.timer, now() + config_.retransmit_after);
  else if (p.timer.armed())
    agenda.disarm(p.timer);
}

void ReliableFirmware::expired(Peer& p) {
  if (p.cursor != p.sender.next() && !p.held) return restart_timer(p, p.started.packet);  // they wait for their turn
  if (p.tries++ == config_.retries)
    throw std::runtime_error(
        fmt::format("{}: terminal {} does not answer: packet {} to it was sent {} times, with {} between each two",
                    card_.name(), p.place, p.sender.oldest(), p.tries, to_string(config_.retransmit_after)));
  p.held = false;
  p.cursor = p.sender.oldest();
  const std::uint64_t item = card_.make_item();
  card_.tell(item, p.started.packet, net::Stage::pipeline, "retransmission timer", p.started.when, now());
  restart_timer(p, item);
  make_ready(p, {now(), item});
  sender_.take();
}

std::string ReliableFirmware::leftover() const {
  for (const auto& p : peers_)
    if (p != nullptr && (p->sender.under_way() || !p->jobs.empty()))
      return fmt::format("packets to terminal {} are not acknowledged", p->place);
  return "";
}

}  // namespace tsunagi::myrinet
