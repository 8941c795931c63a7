// SPDX-License-Identifier: Apache-2.0
#include "models/myrinet/packet_sender.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/myrinet/worm.hpp"
#include "units/parse.hpp"

namespace tsunagi::myrinet {

void PacketSender::check(const SendDescriptor& d) const {
  const auto fail = [this](const std::string& what) { throw std::runtime_error(card_.name() + ": " + what); };
  if (d.number != last_ + 1) fail(fmt::format("descriptor {} of a send came behind descriptor {}", d.number, last_));
  if (d.destination >= routes_.size())
    fail(fmt::format("a send to terminal {}; there are {}", d.destination, routes_.size()));
  const Bytes most = card_.ports()[1].max_payload();
  if (Bytes(d.length) > most)
    fail(fmt::format("a packet of {} B, of which the wire carries {}", d.length, to_string(most)));
  if ((d.type & 0x80000000u) != 0)
    fail(fmt::format("a packet of type {:#x}, whose top bit says that it is a route byte", d.type));
}

void PacketSender::posted(const SendDescriptor& d, const net::Cause& by) {
  check(d);
  ++last_;
  if (static_cast<int>(waiting_.size()) == config_.entries)
    throw std::runtime_error(fmt::format("{}: descriptor {} of a send was written where descriptor {} waits",
                                         card_.name(), d.number, d.number - static_cast<unsigned>(config_.entries)));
  waiting_.push_back({d, by, config_.cycles, false, {}, {}});
  take();
}

void PacketSender::rung(std::uint32_t last, const net::Cause& by) {
  rung_ = last;
  fetch({by.when, by, net::Stage::pipeline, "doorbell"});
}

void PacketSender::fetch(const net::Wait& why) {
  if (fetching_ || fetched_ == rung_ || static_cast<int>(waiting_.size()) == config_.entries) return;
  fetching_ = true;
  const std::uint64_t at = fetched_++ % static_cast<unsigned>(config_.entries);
  host_.read(*this, descriptor_token, ring_ + at * unsigned_of(SendDescriptor::size), SendDescriptor::size, why);
}

void PacketSender::take() {
  const Time now = card_.simulation().now();
  while (waits() && buffers_.covers(1_B)) {
    const net::Cause room = buffers_.free_since(1_B);
    if (room.when > now) return card_.simulation().agenda().arm_by(take_, room.when);
    Outgoing out;
    if (!take_next(out)) continue;
    buffers_.claim(1_B);
    net::Wait asked = net::later({out.by.when, out.by, net::Stage::pipeline, "descriptor"},
                                 {room.when, room, net::Stage::buffer, "send buffer"});
    asked.until = std::max(asked.until, now);
    net::Wait turn = processor_.run(asked, out.cycles, "packet to send");
    const std::uint64_t number = first_ + packets_.size();
    const SendDescriptor what = out.what;
    const bool there = what.length == 0 || out.contents;
    packets_.push_back({std::move(out), turn, there});
    if (!there)
      host_.read(*this, number, what.address, Bytes(what.length), turn);
    else
      send_ready();
  }
  if (config_.ring) fetch({now, {now, 0}, net::Stage::pipeline, "descriptor taken"});
}

bool PacketSender::take_next(Outgoing& out) {
  if (waiting_.empty()) return layer_->next(out);
  out = waiting_.take_front();
  return true;
}

void PacketSender::data_came(std::uint64_t token, flow::Contents bytes, net::Cause last) {
  if (token == descriptor_token) {
    fetching_ = false;
    std::array<std::uint8_t, 32> said{};
    if (bytes) bytes.copy(Bytes::zero(), SendDescriptor::size, said.data());
    return posted(SendDescriptor::decode(said.data()), last);
  }
  Packet& p = packets_[token - first_];
  p.there = true;
  p.out.contents = std::move(bytes);
  p.ready = {last.when, last, net::Stage::pipeline, "packet in the card"};
  send_ready();
}

void PacketSender::send_ready() {
  while (!packets_.empty() && packets_.front().there) {
    Packet p = packets_.take_front();
    ++first_;
    ++done_;
    p.ready.until = std::max({p.ready.until, p.ready.since.when, card_.simulation().now()});
    if (p.out.what.notify) tell_done(p.ready);
    send(std::move(p));
  }
}

void PacketSender::tell_done(const net::Wait& why) {
  dma::Port::Write w;
  w.address = done_word_;
  w.size = 8_B;
  w.contents.add(pool_.contents(), Bytes::zero(), flow::WordBytes(done_));
  host_.write(0, std::move(w), why);
}

void PacketSender::send(Packet p) {
  net::Port& port = card_.ports()[1];
  const auto& framing = static_cast<const LinkFraming&>(*port.channel().wire().framing);
  const SendDescriptor& what = p.out.what;
  const Bytes lead = p.out.led ? Lead::size : Bytes::zero();
  Worm worm(routes_[what.destination], p.out.led ? lead_type : what.type, lead + Bytes(what.length), framing,
            config_.max_train);
  const Time leaves = p.ready.until + config_.latency;
  ++leaving_;
  for (Bytes at; !worm.done();) {
    flow::PacketPtr piece = pool_.make();
    worm.next(*piece);
    const Bytes n = piece->total_payload();
    piece->origin = what.number;
    piece->origin_offset = unsigned_of(std::max(at - lead, Bytes::zero()));
    if (n > Bytes::zero()) load(*piece, p.out, at);
    at += n;
    net::Delivery d = card_.begin(std::move(piece), {leaves, p.ready.since, net::Stage::pipeline, "link"}, leaves);
    if (worm.done()) d.slot = net::Slot(*this, 0, {0, 1}, 1);
    port.send(0, std::move(d));
  }
}

void PacketSender::load(flow::Packet& piece, Outgoing& out, Bytes at) {
  const Bytes n = piece.total_payload();
  const Bytes led = out.led ? std::min(n, std::max(Lead::size - at, Bytes::zero())) : Bytes::zero();
  if (out.contents && n > led) {
    piece.contents = out.contents.take_front(n - led);
    piece.contents.shift(led);
  }
  if (led == Bytes::zero()) return;
  const auto bytes = out.lead.encode();
  piece.contents.add(pool_.contents(), Bytes::zero(),
                     {bytes.data() + at.count(), static_cast<std::size_t>(led.count())});
}

void PacketSender::slot_released(flow::FlowClass, flow::Credits, net::Spans when, std::uint64_t packet) {
  --leaving_;
  buffers_.release(1_B, {when.back().tail, packet});
  take();
}

std::string PacketSender::leftover() const {
  if (!waiting_.empty() || fetched_ != rung_ || fetching_) return "descriptors of sends wait";
  if (!packets_.empty()) return "packets wait for their data";
  return leaving_ > 0 ? "packets have not left" : "";
}

}  // namespace tsunagi::myrinet
