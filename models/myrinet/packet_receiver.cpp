// SPDX-License-Identifier: Apache-2.0
#include "models/myrinet/packet_receiver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tsunagi::myrinet {

PacketReceiver::PacketReceiver(net::Device& card, flow::PacketPool& pool, dma::Port& host,
                               firmware::Processor& processor, const Config& c)
    : card_(card),
      pool_(pool),
      host_(host),
      processor_(processor),
      config_(c),
      buffers_(Bytes(c.buffers)),
      losses_(c.seed, card.name()) {}

void PacketReceiver::came(net::Delivery d) {
  slack_.push_back(std::move(d));
  if (slack_.size() == 1) take();
}

void PacketReceiver::take() {
  const Time now = card_.simulation().now();
  while (!slack_.empty()) {
    if (slack_.front().packet->header<Header>().head != 0) {
      if (!buffers_.covers(1_B)) return;  // who releases one goes on
      const net::Cause room = buffers_.free_since(1_B);
      if (room.when > now) return card_.simulation().agenda().arm_by(take_, room.when);
      buffers_.claim(1_B);
      ++held_;
    }
    take_piece(slack_.take_front(), now);
  }
}

void PacketReceiver::take_piece(net::Delivery d, Time at) {
  const flow::Packet& p = *d.packet;
  const Header& h = p.header<Header>();
  if (h.head != 0) {
    if (h.left() > 0)
      throw std::runtime_error(fmt::format("{}: a packet came whose route goes on, by port {}", card_.name(),
                                           static_cast<int>(h.route.bytes[h.taken] & ~route_mark)));
    coming_ = {};
    coming_.type = h.type;
    coming_.origin = p.origin;
    open_ = true;
  }
  card_.tell(p.id, 0, net::Stage::buffer, "buffer in the card", d.schedule.front().head,
             std::max(at, d.schedule.front().head));
  const Bytes n = p.total_payload();
  Bytes led;  // bytes of it that lead the data
  if (layer_ != nullptr) {
    led = std::min(n, Lead::size - coming_.led);
    if (p.contents && led > Bytes::zero()) p.contents.copy(Bytes::zero(), led, &coming_.lead[coming_.led.count()]);
    coming_.led += led;
  }
  if (p.contents && n > led) {
    const flow::Contents::Part said = p.contents.part(led, n - led);
    if (said.bytes.size > 0) coming_.contents.add(pool_.contents(), coming_.size + said.at, said.bytes);
  }
  coming_.size += n - led;
  for (net::Span& s : d.schedule) s = {std::max(s.head, at), std::max(s.tail, at)};
  const net::Cause last{d.schedule.back().tail, p.id};
  d.slot.release(d.schedule, p.id);
  if (h.tail != 0) whole(last);
}

void PacketReceiver::whole(const net::Cause& last) {
  open_ = false;
  const int cycles = layer_ != nullptr ? layer_->cycles(Lead::decode(coming_.lead.data())) : config_.cycles;
  coming_.taken = processor_.run({last.when, last, net::Stage::pipeline, "packet came"}, cycles, "packet received");
  handled_.push_back(std::move(coming_));
  if (handled_.size() == 1) card_.simulation().agenda().arm(handle_, handled_.front().taken.until);
}

void PacketReceiver::handle() {
  Packet p = handled_.take_front();
  if (!handled_.empty()) card_.simulation().agenda().arm(handle_, handled_.front().taken.until);
  const bool fails = config_.loss_ppm > 0 && losses_.chance(config_.loss_ppm);
  if (fails) return drop(p, true);
  if (layer_ != nullptr) return pass(std::move(p));
  if (posted_.empty()) return drop(p, false);
  const std::uint32_t type = p.type;
  write(std::move(p), posted_.take_front(), type);
}

void PacketReceiver::drop(const Packet& p, bool fails) {
  if (fails) {
    ++failed_checks_;
  } else {
    ++dropped_;
    dropped_bytes_ += p.size;
  }
  free_buffer();
}

void PacketReceiver::free_buffer() {
  --held_;
  buffers_.release(1_B, {card_.simulation().now(), 0});
  take();
}

void PacketReceiver::pass(Packet p) {
  const Lead lead = Lead::decode(p.lead.data());
  const Layer::Fate fate = layer_->came(lead, p.size, p.contents, !posted_.empty(), p.taken);
  if (fate.where == Layer::Fate::Where::receive_buffer) {
    write(std::move(p), posted_.take_front(), fate.type);
  } else if (fate.where == Layer::Fate::Where::address) {
    const ReceiveEvent e{0, fate.type, 1, 0};
    write(std::move(p), fate.address, fate.event ? &e : nullptr);
  } else {
    free_buffer();
  }
  layer_->handled();
}

void PacketReceiver::write(Packet p, const ReceiveBuffer& to, std::uint32_t type) {
  if (p.size > Bytes(to.length))
    throw std::runtime_error(
        fmt::format("{}: a packet of {} B came for a receive buffer of {} B", card_.name(), p.size.count(), to.length));
  const ReceiveEvent e{static_cast<std::uint32_t>(p.size.count()), type, to.handle, 0};
  write(std::move(p), to.address, &e);
}

void PacketReceiver::write(Packet p, std::uint64_t address, const ReceiveEvent* event) {
  if (p.size == Bytes::zero() && event == nullptr) return free_buffer();
  net::Slot held(*this, 0, {0, 1}, 1);
  const net::Wait taken = p.taken;
  if (p.size > Bytes::zero()) {
    dma::Port::Write data;
    data.address = address;
    data.size = p.size;
    data.contents = std::move(p.contents);
    data.origin = p.origin;
    data.held = std::move(held);
    host_.write(writer, std::move(data), taken);
    held = {};
  }
  if (event != nullptr) tell(*event, taken, std::move(held));
}

void PacketReceiver::tell(ReceiveEvent e, const net::Wait& why, net::Slot held) {
  e.number = ++events_written_;
  const auto bytes = e.encode();
  dma::Port::Write event;
  event.address = events_ + unsigned_of(ReceiveEvent::size) * ((e.number - 1) % static_cast<unsigned>(entries_));
  event.size = ReceiveEvent::size;
  event.contents.add(pool_.contents(), Bytes::zero(), {bytes.data(), bytes.size()});
  event.held = std::move(held);
  host_.write(writer, std::move(event), why);
}

void PacketReceiver::slot_released(flow::FlowClass, flow::Credits, net::Spans when, std::uint64_t packet) {
  --held_;
  buffers_.release(1_B, {when.back().tail, packet});
  take();
}

std::string PacketReceiver::leftover() const {
  if (open_ || !slack_.empty()) return "a packet has not come to its end";
  if (!handled_.empty()) return "packets wait for the processor";
  return held_ > 0 ? "packets have not been written" : "";
}

}  // namespace tsunagi::myrinet
