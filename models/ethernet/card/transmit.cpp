// SPDX-License-Identifier: Apache-2.0
#include "models/ethernet/card/transmit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace tsunagi::ethernet {

Transmit::Transmit(net::Device& card, flow::PacketPool& pool, dma::Port& host, Interrupts& interrupts, const Config& c)
    : card_(card),
      pool_(pool),
      host_(host),
      interrupts_(interrupts),
      config_(c),
      fetch_(host, c.cached, [this] { start(); }),
      fifo_(c.fifo) {}

void Transmit::start() {
  const Time now = card_.simulation().now();
  while (has_next_ || fetch_.ready()) {
    if (!has_next_) next_ = fetch_.take({now, 0});
    has_next_ = true;
    const Bytes n(next_.descriptor.length);
    if (n <= frame_header || n - frame_header > port().max_payload())
      throw std::runtime_error(fmt::format("{}: a frame of {} B in transmit descriptor {}, where the wire's MTU is {}",
                                           card_.name(), n.count(), next_.number, port().max_payload().count()));
    if (!fifo_.covers(n)) return;  // who leaves goes on
    const net::Cause room = fifo_.free_since(n);
    if (room.when > now) return card_.simulation().agenda().arm_by(timer_, room.when);
    fifo_.claim(n);
    net::Wait ready = net::later(net::later({next_.came.when, next_.came, net::Stage::pipeline, "frame read"}, turn_),
                                 {room.when, room, net::Stage::buffer, "transmit FIFO"});
    ready.until = config_.clock.after(std::max(ready.until, now), config_.frame_cycles);
    turn_ = {ready.until, ready.since, net::Stage::pipeline, "transmit engine"};
    ++under_way_;
    const std::uint64_t token = first_ + readings_.size();
    const std::uint64_t address = next_.descriptor.address;
    Reading r;
    r.descriptor = next_;
    readings_.push_back(std::move(r));
    has_next_ = false;
    host_.read(*this, token, address, n, ready);
  }
}

void Transmit::data_came(std::uint64_t token, flow::Contents bytes, net::Cause last) {
  Reading& r = readings_[token - first_];
  r.there = true;
  r.bytes = std::move(bytes);
  r.last = last;
  while (!readings_.empty() && readings_.front().there) {
    ++first_;
    send(readings_.take_front());
  }
}

void Transmit::send(Reading r) {
  if (r.last.when > last_came_.when) last_came_ = r.last;  // behind those before it
  const Bytes n(r.descriptor.descriptor.length);
  std::array<std::uint8_t, 14> header{};
  if (r.bytes) r.bytes.copy(Bytes::zero(), frame_header, header.data());
  flow::PacketPtr p = pool_.make();
  p->set_payload(n - frame_header);
  p->header<Header>().route =
      router::header_of(static_cast<int>(place_), static_cast<int>(flow::read_word(header.data(), 4)), 1);
  if (r.bytes && r.bytes.end() > frame_header) {
    flow::Contents frame = std::move(r.bytes);
    if (frame.offset() < frame_header)
      frame.take_front(frame_header);
    else
      frame.shift(Bytes::zero() - frame_header);
    p->contents = std::move(frame);
  }
  net::Delivery d =
      card_.begin(std::move(p), {last_came_.when, last_came_, net::Stage::pipeline, "frame built"}, last_came_.when);
  d.slot = net::Slot(*this, data_frames, flow::Credits::of(0, n.count()), 1);
  ++frames_;
  port().send(0, std::move(d));
  if ((r.descriptor.descriptor.command & Descriptor::report) != 0) write_back(r.descriptor, last_came_);
}

void Transmit::write_back(const DescriptorFetch::Taken& t, const net::Cause& by) {
  Descriptor d = t.descriptor;
  d.status = Descriptor::done;
  const auto bytes = d.encoded();
  dma::Port::Write w;
  w.address = fetch_.ring().at(t.number);
  w.size = Descriptor::size;
  w.contents.add(pool_.contents(), Bytes::zero(), {bytes.data(), bytes.size()});
  const Time ready = config_.clock.after(std::max(by.when, card_.simulation().now()), 1);
  host_.write(0, std::move(w), {ready, by, net::Stage::pipeline, "descriptor written back"});
  if ((d.command & Descriptor::interrupt) != 0) interrupts_.sent(ready, by);
}

void Transmit::slot_released(flow::FlowClass, flow::Credits per_packet, net::Spans when, std::uint64_t packet) {
  for (const net::Span& s : when) {
    --under_way_;
    fifo_.release(Bytes(per_packet.data), {s.tail, packet});
  }
  if (has_next_) card_.simulation().agenda().arm_by(timer_, std::max(when.front().tail, card_.simulation().now()));
}

}  // namespace tsunagi::ethernet
