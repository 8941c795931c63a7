// SPDX-License-Identifier: Apache-2.0
// The write side of a DMA channel: completions become writes, the last is followed by the status.
#include <algorithm>

#include "flow/segmentation.hpp"
#include "models/pcie/tlp.hpp"
#include "models/peach2/dma_channel.hpp"

namespace tsunagi::peach2 {

void DmaChannel::complete(net::Delivery d) {
  flow::Packet& p = *d.packet;
  const Cause last{d.schedule.back().tail, p.id};
  const int number = p.header<pcie::Tlp>().requester.tag - number_ * config_.tag_numbers();
  if (number == config_.tags) {
    d.slot.release(d.schedule);
    return fetched(p, last);
  }
  Tag& tag = tags_.at(static_cast<std::size_t>(number));
  if (tag.left < p.total_payload()) fail("a completion came for no read");
  const Time first = d.schedule.front().tail;
  d.slot.release(d.schedule);
  // Two steps: stored in the packet buffer, then built into a write.
  for (net::Span& s : d.schedule) s = {steps_after(s.head, 2), steps_after(s.tail, 2)};
  const Bytes total = p.total_payload();
  held_.push_back({std::move(d.packet), tag.job, tag.offset, std::move(d.schedule), first});
  for (std::size_t i = held_.size() - 1; i > 0 && held_[i].job < held_[i - 1].job; --i)
    std::swap(held_[i], held_[i - 1]);
  tag.offset += total;
  tag.left -= total;
  if (tag.left == Bytes::zero()) tag.free_since = last;
  released_space_ = false;
  write_more();
  if (tag.left == Bytes::zero() || released_space_) request_more();
}

void DmaChannel::write_more() {
  writing_out_ = true;
  for (;;) {
    if (first_job_ > writing_ && leaving_ == Bytes::zero()) {
      ++writing_;
      taken_ = {clock_.after(left_.when, config_.descriptor_cycles), left_, net::Stage::pipeline,
                "DMA load descriptor"};
    }
    if (held_.empty() || held_.front().job != writing_) break;
    write_out(held_.take_front());
    finish();
  }
  writing_out_ = false;
}

void DmaChannel::write_out(Held data) {
  const flow::Packet& completion = *data.completion;
  const Bytes total = completion.total_payload();
  Job& job = jobs_.front();
  const Layout to = job.what.to();
  job.written += total;
  leaving_ += total;
  for (net::Span& s : data.when) s = {std::max(s.head, taken_.until), std::max(s.tail, taken_.until)};
  // A train of completions becomes a train of writes, unless a write would cross a gap, or a 4 KiB boundary
  // because source and destination lie differently in their pages.
  const std::uint64_t address = to.address_of(data.offset);
  const Bytes to_boundary(4096 - static_cast<std::int64_t>(address % 4096));
  const bool aligned = address % static_cast<std::uint64_t>(completion.payload.count()) == 0;
  if (to.run(data.offset, total) == total &&
      (total <= to_boundary || (aligned && 4096 % completion.payload.count() == 0)))
    write_train(completion, address, std::move(data.when), data.arrived);
  else
    write_pieces(completion, to, data.offset, data.when, data.arrived);
}

void DmaChannel::write_train(const flow::Packet& completion, std::uint64_t to, net::Schedule when, Time arrived) {
  flow::PacketPtr p = pcie::memory_write(pool_, to, completion.payload);
  p->set_train(completion.count, completion.payload, completion.last_payload);
  p->parent = completion.id;
  p->origin = completion.origin;
  p->origin_offset = completion.origin_offset;
  p->value = completion.value;
  if (completion.total_payload() == Descriptor::size)  // in a shorter one not all of them are data
    p->header<pcie::Tlp>().words = completion.header<pcie::Tlp>().words;
  write(std::move(p), std::move(when), arrived);
}

void DmaChannel::write_pieces(const flow::Packet& completion, const Layout& to, Bytes offset, const net::Schedule& when,
                              Time arrived) {
  std::uint64_t from = completion.origin_offset;
  for (std::int32_t i = 0; i < completion.count; ++i)
    for (Bytes left = completion.payload_of(i); left > Bytes::zero();) {
      const std::uint64_t address = to.address_of(offset);
      const Bytes run = to.run(offset, left);
      const Bytes piece = flow::next_piece(address, run, run, 4_KiB);
      flow::PacketPtr p = pcie::memory_write(pool_, address, piece);
      p->parent = completion.id;
      p->origin = completion.origin;
      p->origin_offset = from;
      left -= piece;
      if (i + 1 == completion.count && left == Bytes::zero()) p->value = completion.value;
      write(std::move(p), net::Schedule(when[static_cast<std::size_t>(i)]), arrived);
      offset += piece;
      from += static_cast<std::uint64_t>(piece.count());
    }
}

void DmaChannel::write(flow::PacketPtr p, net::Schedule when, Time arrived) {
  net::Delivery d;
  if (when.front().tail == taken_.until) p->parent = taken_.since.packet;
  if (when.front().tail == taken_.until)
    chip_.tell(p->id, p->parent, taken_.stage, taken_.what, taken_.since.when, taken_.until);
  else
    chip_.tell(p->id, p->parent, net::Stage::pipeline, "DMA store, build write", arrived, when.front().tail);
  if (when.back().tail >= last_write_.when) last_write_ = {when.back().tail, p->id};
  d.slot = net::Slot(*this, pcie::posted, {1, p->payload.count()}, {1, p->last_payload.count()}, p->count);
  d.packet = std::move(p);
  d.schedule = std::move(when);
  ports_.write(std::move(d));
}

void DmaChannel::finish() {
  while (!jobs_.empty() && jobs_.front().written == jobs_.front().what.length) {
    const bool last = jobs_.front().last;
    jobs_.pop_front();
    ++first_job_;
    --requesting_;
    if (last && status_address_ != 0) write_status();
  }
}

void DmaChannel::write_status() {
  net::Delivery d;
  d.packet = pcie::memory_write(pool_, status_address_, 8_B);
  d.packet->value = ++status_value_;
  // Same source and class as the data, queued behind it: posted writes keep their order to the end.
  d.schedule = net::Schedule::at(steps_after(last_write_.when, 1));
  d.packet->parent = last_write_.packet;
  chip_.tell(d.packet->id, last_write_.packet, net::Stage::pipeline, "DMA build status", last_write_.when,
             d.schedule.front().tail);
  ports_.write(std::move(d));
}

}  // namespace tsunagi::peach2
