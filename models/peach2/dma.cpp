// SPDX-License-Identifier: Apache-2.0
#include "models/peach2/dma.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "flow/segmentation.hpp"
#include "models/pcie/tlp.hpp"

namespace tsunagi::peach2 {

void describe(DmaConfig& c, config::Describer& d) {
  using namespace config;
  d.field("channels", c.channels, "DMA channels", within(1, 4));
  d.field("step_cycles", c.step_cycles,
          "latency of one step of the controller (decode, request, store, write, status), in cycles", within(1, 200), ideal(1));
  d.field("tags", c.tags, "read requests under way, a channel", within(1, 32), ideal(32));
  d.field("max_read_request", c.max_read_request, "largest read request (MRRS)", within(128_B, 4_KiB));
  d.field("buffer", c.buffer, "bytes a channel may have asked for and not yet written out", within(4_KiB, 1_MiB), ideal(1_MiB));
  d.require(c.max_read_request <= c.buffer, "\"buffer\" must hold one read request");
}

DmaChannel::DmaChannel(sim::Simulation& sim, flow::PacketPool& pool, const DmaConfig& c, Clock clock, int first_tag, DmaPorts ports)
    : sim_(sim),
      pool_(pool),
      config_(c),
      clock_(clock),
      ports_(std::move(ports)),
      first_tag_(first_tag),
      tags_(static_cast<std::size_t>(c.tags)),
      buffer_free_(c.buffer) {}

void DmaChannel::write_register(std::uint64_t offset, std::uint64_t value, Time when) {
  if (offset == Registers::control) return start(value, when);
  if (offset == Registers::status) {
    status_address_ = value;
    return;
  }
  const std::uint64_t number = offset / Registers::descriptor_block;
  if (number >= registers_.size()) throw std::runtime_error(fmt::format("no DMA register at offset {:#x}", offset));
  Descriptor& d = registers_[number];
  switch (offset % Registers::descriptor_block) {
    case Registers::source: d.source = value; break;
    case Registers::destination: d.destination = value; break;
    case Registers::length: d.length = value; break;
    default: throw std::runtime_error(fmt::format("no DMA register at offset {:#x}", offset));
  }
}

void DmaChannel::start(std::uint64_t count, Time when) {
  if (busy()) throw std::runtime_error("a DMA channel was started while it runs");
  if (count == 0 || count > registers_.size()) throw std::runtime_error(fmt::format("DMA start of {} descriptors", count));
  for (std::uint64_t i = 0; i < count; ++i) running_.push_back({registers_[i], Bytes::zero(), Bytes::zero(), i + 1 == count});
  requesting_ = 0;
  // Two steps to the first request: the doorbell is decoded and the descriptor loaded, then the request is built.
  next_request_ = clock_.after(when, 2 * config_.step_cycles);
  request_more(next_request_);
}

int DmaChannel::free_tag() const {
  const auto it = std::find_if(tags_.begin(), tags_.end(), [](const Tag& t) { return !t.used; });
  return it == tags_.end() ? -1 : static_cast<int>(it - tags_.begin());
}

void DmaChannel::request_more(Time when) {
  while (requesting_ < running_.size()) {
    Running& r = running_[requesting_];
    const Bytes left = Bytes(static_cast<std::int64_t>(r.what.length)) - r.requested;
    const std::uint64_t from = r.what.source + static_cast<std::uint64_t>(r.requested.count());
    const Bytes piece = flow::next_piece(from, left, config_.max_read_request, 4_KiB);
    const int number = free_tag();
    if (number < 0 || buffer_free_ < piece) return;
    buffer_free_ -= piece;
    Tag& tag = tags_[static_cast<std::size_t>(number)];
    tag = {true, from, r.what.destination + static_cast<std::uint64_t>(r.requested.count()), piece};
    r.requested += piece;
    if (r.requested == Bytes(static_cast<std::int64_t>(r.what.length))) ++requesting_;

    net::Delivery d;
    d.packet = pool_.make();
    d.packet->address = from;
    pcie::Tlp& h = d.packet->header<pcie::Tlp>() = pcie::Tlp{};
    h.type = pcie::TlpType::memory_read;
    h.requester.tag = static_cast<std::uint16_t>(first_tag_ + number);
    h.length = static_cast<std::uint32_t>(piece.count());
    // One request a cycle; not before the buffer space it needs is really there.
    const Time at = clock_.at_or_after(std::max({when, next_request_, buffer_free_since_}));
    next_request_ = clock_.after(at, 1);
    d.schedule = net::Schedule::at(at);
    ports_.read(std::move(d));
  }
}

void DmaChannel::complete(net::Delivery d) {
  flow::Packet& p = *d.packet;
  const pcie::Tlp& h = p.header<pcie::Tlp>();
  Tag& tag = tags_.at(static_cast<std::size_t>(h.requester.tag - first_tag_));
  if (!tag.used || tag.left < p.total_payload()) throw std::runtime_error("a completion came for no read of the DMA channel");
  // Two steps: stored in the packet buffer, then built into a write.
  net::Schedule when;
  for (const net::Span& s : d.schedule)
    when.push_back({clock_.after(s.head, 2 * config_.step_cycles), clock_.after(s.tail, 2 * config_.step_cycles)});
  d.slot.release(d.schedule);
  write_out(p, tag, when);
  if (tag.left == Bytes::zero()) {
    tag.used = false;
    request_more(clock_.after(sim_.now(), 1));
  }
}

void DmaChannel::write_out(flow::Packet& completion, Tag& tag, const net::Schedule& when) {
  Bytes bytes = completion.total_payload();
  std::uint64_t offset = completion.origin_offset;
  Running& r = running_.front();
  while (bytes > Bytes::zero()) {
    const Bytes piece = flow::next_piece(tag.destination, bytes, bytes, 4_KiB);
    net::Delivery d;
    d.packet = pcie::memory_write(pool_, tag.destination, piece);
    d.packet->parent = completion.id;
    d.packet->origin = completion.origin;
    d.packet->origin_offset = offset;
    d.schedule = when;
    d.slot = net::Slot(*this, pcie::posted, {1, piece.count()}, 1);
    ports_.write(std::move(d));
    tag.source += static_cast<std::uint64_t>(piece.count());
    tag.destination += static_cast<std::uint64_t>(piece.count());
    tag.left -= piece;
    offset += static_cast<std::uint64_t>(piece.count());
    bytes -= piece;
    r.written += piece;
  }
  if (r.written == Bytes(static_cast<std::int64_t>(r.what.length))) finish(when.back().tail);
}

void DmaChannel::finish(Time when) {
  const Running done = running_.take_front();
  --requesting_;
  if (!done.last || status_address_ == 0) return;
  net::Delivery d;
  d.packet = pcie::memory_write(pool_, status_address_, 8_B);
  d.packet->value = ++status_value_;
  // Same source and class as the data, queued behind it: posted writes keep their order to the end.
  d.schedule = net::Schedule::at(clock_.after(when, config_.step_cycles));
  ports_.write(std::move(d));
}

void DmaChannel::slot_released(flow::FlowClass, flow::Credits per_packet, const net::Schedule& when) {
  for (const net::Span& s : when) {
    buffer_free_ += Bytes(per_packet.data);
    buffer_free_since_ = std::max(buffer_free_since_, s.tail);
  }
  request_more(when.back().tail);
}

}  // namespace tsunagi::peach2
