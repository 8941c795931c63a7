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
  if (p.contents) {
    const flow::Contents::Part said = p.contents.part(Bytes::zero(), n);
    if (said.bytes.size > 0) coming_.contents.add(pool_.contents(), coming_.size + said.at, said.bytes);
  }
  coming_.size += n;
  for (net::Span& s : d.schedule) s = {std::max(s.head, at), std::max(s.tail, at)};
  const net::Cause last{d.schedule.back().tail, p.id};
  d.slot.release(d.schedule, p.id);
  if (h.tail != 0) whole(last);
}

void PacketReceiver::whole(const net::Cause& last) {
  open_ = false;
  coming_.taken =
      processor_.run({last.when, last, net::Stage::pipeline, "packet came"}, config_.cycles, "packet received");
  handled_.push_back(std::move(coming_));
  if (handled_.size() == 1) card_.simulation().agenda().arm(handle_, handled_.front().taken.until);
}

void PacketReceiver::handle() {
  Packet p = handled_.take_front();
  if (!handled_.empty()) card_.simulation().agenda().arm(handle_, handled_.front().taken.until);
  const bool fails = config_.loss_ppm > 0 && losses_.chance(config_.loss_ppm);
  if (!fails && !posted_.empty()) return write(std::move(p), posted_.take_front());
  if (fails) {
    ++failed_checks_;
  } else {
    ++dropped_;
    dropped_bytes_ += p.size;
  }
  --held_;
  buffers_.release(1_B, {card_.simulation().now(), 0});
  take();
}

void PacketReceiver::write(Packet p, const ReceiveBuffer& to) {
  if (p.size > Bytes(to.length))
    throw std::runtime_error(
        fmt::format("{}: a packet of {} B came for a receive buffer of {} B", card_.name(), p.size.count(), to.length));
  const ReceiveEvent e{static_cast<std::uint32_t>(p.size.count()), p.type, to.handle, events_written_ + 1};
  const auto bytes = e.encode();
  dma::Port::Write event;
  event.address = events_ + unsigned_of(ReceiveEvent::size) * (events_written_++ % static_cast<unsigned>(entries_));
  event.size = ReceiveEvent::size;
  event.contents.add(pool_.contents(), Bytes::zero(), {bytes.data(), bytes.size()});
  net::Slot held(*this, 0, {0, 1}, 1);
  if (p.size == Bytes::zero()) {
    event.held = std::move(held);
  } else {
    dma::Port::Write data;
    data.address = to.address;
    data.size = p.size;
    data.contents = std::move(p.contents);
    data.origin = p.origin;
    data.held = std::move(held);
    host_.write(writer, std::move(data), p.taken);
  }
  host_.write(writer, std::move(event), p.taken);
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
