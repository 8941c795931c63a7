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
          "latency of one step of the controller (decode, request, store, write, status), in cycles", within(1, 200),
          ideal(1));
  d.field("tags", c.tags, "read requests under way, a channel", within(1, 32), ideal(32));
  d.field("max_read_request", c.max_read_request, "largest read request (MRRS)", within(128_B, 4_KiB), ideal(4_KiB));
  d.field("buffer", c.buffer, "bytes a channel may have asked for and not yet written out", within(4_KiB, 1_MiB),
          ideal(1_MiB));
  d.require(c.max_read_request <= c.buffer, "\"buffer\" must hold one read request");
}

DmaChannel::DmaChannel(net::Device& chip, flow::PacketPool& pool, const DmaConfig& c, Clock clock, int first_tag,
                       DmaPorts ports)
    : chip_(chip),
      pool_(pool),
      config_(c),
      clock_(clock),
      ports_(std::move(ports)),
      first_tag_(first_tag),
      tags_(static_cast<std::size_t>(c.tags)) {
  buffer_.push_back({{}, c.buffer});
}

void DmaChannel::write_register(std::uint64_t offset, std::uint64_t value, Cause by) {
  if (offset == Registers::control) return start(value, by);
  if (offset == Registers::status) {
    status_address_ = value;
    return;
  }
  const std::uint64_t number = offset / Registers::descriptor_block;
  if (number >= registers_.size()) throw std::runtime_error(fmt::format("no DMA register at offset {:#x}", offset));
  Descriptor& d = registers_[number];
  switch (offset % Registers::descriptor_block) {
    case Registers::source:
      d.source = value;
      break;
    case Registers::destination:
      d.destination = value;
      break;
    case Registers::length:
      d.length = value;
      break;
    default:
      throw std::runtime_error(fmt::format("no DMA register at offset {:#x}", offset));
  }
}

void DmaChannel::start(std::uint64_t count, Cause by) {
  if (busy()) throw std::runtime_error("a DMA channel was started while it runs");
  if (count == 0 || count > registers_.size())
    throw std::runtime_error(fmt::format("DMA start of {} descriptors", count));
  for (std::uint64_t i = 0; i < count; ++i)
    running_.push_back({registers_[i], Bytes::zero(), Bytes::zero(), i + 1 == count});
  requesting_ = 0;
  // Two steps to the first request: the doorbell is decoded and the descriptor loaded, then the request is built.
  next_request_ = clock_.after(by.when, 2 * config_.step_cycles);
  last_request_ = by;
  request_more();
}

DmaChannel::Tag* DmaChannel::free_tag() {
  Tag* best = nullptr;
  for (Tag& t : tags_)
    if (t.left == Bytes::zero() && (best == nullptr || t.free_since.when < best->free_since.when)) best = &t;
  return best;
}

Cause DmaChannel::buffer_since(Bytes n) const {
  for (std::size_t i = 0; i < buffer_.size(); ++i) {
    n -= buffer_[i].bytes;
    if (n <= Bytes::zero()) return buffer_[i].since;
  }
  return {Time::max(), 0};
}

void DmaChannel::take_buffer(Bytes n) {
  while (n > Bytes::zero()) {
    Space& s = buffer_.front();
    const Bytes part = std::min(n, s.bytes);
    s.bytes -= part;
    n -= part;
    if (s.bytes == Bytes::zero()) buffer_.pop_front();
  }
}

void DmaChannel::request_more() {
  while (requesting_ < running_.size()) {
    Running& r = running_[requesting_];
    const Bytes length(static_cast<std::int64_t>(r.what.length));
    const std::uint64_t from = r.what.source + static_cast<std::uint64_t>(r.requested.count());
    const Bytes piece = flow::next_piece(from, length - r.requested, config_.max_read_request, 4_KiB);
    Tag* tag = free_tag();
    const Time space = buffer_since(piece).when;
    if (tag == nullptr || space == Time::max()) return;
    // One request a cycle, a cycle after its tag came back, not before its buffer space is free. Other space may yet
    // get free before: nothing is decided ahead of time.
    const Time back = tag_back(*tag);
    sim::Simulation& sim = chip_.simulation();
    const Time at = clock_.at_or_after(std::max({next_request_, space, back, sim.now()}));
    if (at > sim.now()) return sim.agenda().arm(request_alarm_, at);
    request(r, *tag, piece, at);
    if (r.requested == length) ++requesting_;
  }
}

void DmaChannel::request(Running& r, Tag& tag, Bytes piece, Time at) {
  const auto requested = static_cast<std::uint64_t>(r.requested.count());
  const Cause space = buffer_since(piece);
  take_buffer(piece);
  tag.destination = r.what.destination + requested;
  tag.left = piece;
  r.requested += piece;

  net::Delivery d;
  d.packet = pool_.make();
  d.packet->parent = tell_request(d.packet->id, tag, space, at);
  next_request_ = clock_.after(at, 1);
  last_request_ = {at, d.packet->id};
  d.packet->header<pcie::Tlp>() = {
      pcie::TlpType::memory_read, true, {0, static_cast<std::uint16_t>(first_tag_ + (&tag - tags_.data()))}, 0};
  pcie::set_read(*d.packet, r.what.source + requested, 1, piece);
  d.schedule = net::Schedule::at(at);
  ports_.read(std::move(d));
}

Time DmaChannel::tag_back(const Tag& tag) const {
  return tag.free_since.packet == 0 ? Time::zero() : clock_.after(tag.free_since.when, 1);
}

std::uint64_t DmaChannel::tell_request(std::uint64_t packet, const Tag& tag, Cause space, Time at) const {
  const auto tell = [&](Cause by, net::Stage stage, const char* what) {
    chip_.tell(packet, by.packet, stage, what, by.when, at);
    return by.packet;
  };
  const Time back = tag_back(tag);
  if (space.when > std::max(next_request_, back)) return tell(space, net::Stage::buffer, "DMA buffer");
  if (back > next_request_) return tell(tag.free_since, net::Stage::tag, "read tag");
  const bool next = clock_.after(last_request_.when, 1) == next_request_;
  return tell(last_request_, net::Stage::pipeline, next ? "DMA next request" : "DMA decode, build request");
}

void DmaChannel::complete(net::Delivery d) {
  flow::Packet& p = *d.packet;
  Tag& tag = tags_.at(static_cast<std::size_t>(p.header<pcie::Tlp>().requester.tag - first_tag_));
  if (tag.left < p.total_payload()) throw std::runtime_error("a completion came for no read of the DMA channel");
  const Cause last{d.schedule.back().tail, p.id};
  const Time first = d.schedule.front().tail;
  d.slot.release(d.schedule);
  // Two steps: stored in the packet buffer, then built into a write.
  for (net::Span& s : d.schedule)
    s = {clock_.after(s.head, 2 * config_.step_cycles), clock_.after(s.tail, 2 * config_.step_cycles)};
  write_out(p, tag, std::move(d.schedule), first);
  if (tag.left != Bytes::zero()) return;
  tag.free_since = last;
  request_more();
}

void DmaChannel::write_out(const flow::Packet& completion, Tag& tag, net::Schedule when, Time arrived) {
  const Bytes total = completion.total_payload();
  Running& r = running_.front();
  Cause end{when.back().tail, 0};
  // A train of completions becomes a train of writes, unless a write would cross a 4 KiB boundary because
  // source and destination lie differently in their pages.
  const Bytes to_boundary(4096 - static_cast<std::int64_t>(tag.destination % 4096));
  const bool aligned = tag.destination % static_cast<std::uint64_t>(completion.payload.count()) == 0;
  if (total <= to_boundary || (aligned && 4096 % completion.payload.count() == 0)) {
    flow::PacketPtr p = pcie::memory_write(pool_, tag.destination, completion.payload);
    p->set_train(completion.count, completion.payload, completion.last_payload);
    p->parent = completion.id;
    p->origin = completion.origin;
    p->origin_offset = completion.origin_offset;
    end.packet = write(std::move(p), std::move(when), arrived);
  } else {
    std::uint64_t to = tag.destination;
    std::uint64_t offset = completion.origin_offset;
    for (std::int32_t i = 0; i < completion.count; ++i)
      for (Bytes left = completion.payload_of(i); left > Bytes::zero();) {
        const Bytes piece = flow::next_piece(to, left, left, 4_KiB);
        flow::PacketPtr p = pcie::memory_write(pool_, to, piece);
        p->parent = completion.id;
        p->origin = completion.origin;
        p->origin_offset = offset;
        end.packet = write(std::move(p), net::Schedule(when[static_cast<std::size_t>(i)]), arrived);
        to += static_cast<std::uint64_t>(piece.count());
        offset += static_cast<std::uint64_t>(piece.count());
        left -= piece;
      }
  }
  tag.destination += static_cast<std::uint64_t>(total.count());
  tag.left -= total;
  r.written += total;
  if (r.written == Bytes(static_cast<std::int64_t>(r.what.length))) finish(end);
}

std::uint64_t DmaChannel::write(flow::PacketPtr p, net::Schedule when, Time arrived) {
  net::Delivery d;
  const std::uint64_t packet = p->id;
  chip_.tell(packet, p->parent, net::Stage::pipeline, "DMA store, build write", arrived, when.front().tail);
  d.slot = net::Slot(*this, pcie::posted, {1, p->payload.count()}, {1, p->last_payload.count()}, p->count);
  d.packet = std::move(p);
  d.schedule = std::move(when);
  ports_.write(std::move(d));
  return packet;
}

void DmaChannel::finish(Cause last_write) {
  const Running done = running_.take_front();
  --requesting_;
  if (!done.last || status_address_ == 0) return;
  net::Delivery d;
  d.packet = pcie::memory_write(pool_, status_address_, 8_B);
  d.packet->value = ++status_value_;
  // Same source and class as the data, queued behind it: posted writes keep their order to the end.
  d.schedule = net::Schedule::at(clock_.after(last_write.when, config_.step_cycles));
  d.packet->parent = last_write.packet;
  chip_.tell(d.packet->id, last_write.packet, net::Stage::pipeline, "DMA build status", last_write.when,
             d.schedule.front().tail);
  ports_.write(std::move(d));
}

void DmaChannel::slot_released(flow::FlowClass, flow::Credits per_packet, const net::Schedule& when,
                               std::uint64_t packet) {
  for (const net::Span& s : when) {
    buffer_.push_back({{s.tail, packet}, Bytes(per_packet.data)});
    for (std::size_t i = buffer_.size() - 1; i > 0 && buffer_[i].since.when < buffer_[i - 1].since.when; --i)
      std::swap(buffer_[i], buffer_[i - 1]);
  }
  request_more();
}

}  // namespace tsunagi::peach2
