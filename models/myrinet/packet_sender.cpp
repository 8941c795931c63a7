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
  waiting_.push_back({d, by});
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
  while (!waiting_.empty() && buffers_.covers(1_B)) {
    const net::Cause room = buffers_.free_since(1_B);
    if (room.when > now) return card_.simulation().agenda().arm_by(take_, room.when);
    buffers_.claim(1_B);
    const Descriptor d = waiting_.take_front();
    net::Wait asked = net::later({d.by.when, d.by, net::Stage::pipeline, "descriptor"},
                                 {room.when, room, net::Stage::buffer, "send buffer"});
    asked.until = std::max(asked.until, now);
    const net::Wait turn = processor_.run(asked, config_.cycles, "packet to send");
    const std::uint64_t number = first_ + packets_.size();
    packets_.push_back({d.what, {}, turn, d.what.length == 0});
    if (d.what.length > 0)
      host_.read(*this, number, d.what.address, Bytes(d.what.length), turn);
    else
      send_ready();
  }
  if (config_.ring) fetch({now, {now, 0}, net::Stage::pipeline, "descriptor taken"});
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
  p.contents = std::move(bytes);
  p.ready = {last.when, last, net::Stage::pipeline, "packet in the card"};
  send_ready();
}

void PacketSender::send_ready() {
  while (!packets_.empty() && packets_.front().there) {
    Packet p = packets_.take_front();
    ++first_;
    ++done_;
    p.ready.until = std::max({p.ready.until, p.ready.since.when, card_.simulation().now()});
    if (p.what.notify) tell_done(p.ready);
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
  Worm worm(routes_[p.what.destination], p.what.type, Bytes(p.what.length), framing, config_.max_train);
  const Time leaves = p.ready.until + config_.latency;
  ++leaving_;
  for (Bytes at; !worm.done();) {
    flow::PacketPtr piece = pool_.make();
    worm.next(*piece);
    const Bytes n = piece->total_payload();
    piece->origin = p.what.number;
    piece->origin_offset = unsigned_of(at);
    if (p.contents && n > Bytes::zero()) piece->contents = p.contents.take_front(n);
    at += n;
    net::Delivery d = card_.begin(std::move(piece), {leaves, p.ready.since, net::Stage::pipeline, "link"}, leaves);
    if (worm.done()) d.slot = net::Slot(*this, 0, {0, 1}, 1);
    port.send(0, std::move(d));
  }
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
