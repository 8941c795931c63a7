// SPDX-License-Identifier: Apache-2.0
#include "models/peach2/dma_writes.hpp"

#include <algorithm>

#include "models/pcie/segmentation.hpp"
#include "models/pcie/tlp.hpp"

namespace tsunagi::peach2 {

void DmaWrites::hold(net::Delivery d, const DmaReads::Read& read) {
  // Two steps: stored in the packet buffer, then built into a write.
  net::Schedule built;
  for (const net::Span& s : d.schedule) built.push_back({clock_.steps_after(s.head, 2), clock_.steps_after(s.tail, 2)});
  held_.push_back({std::move(d.packet), read.job, read.offset, std::move(built), std::move(d.schedule)});
  for (std::size_t i = held_.size() - 1; i > 0 && held_[i].job < held_[i - 1].job; --i)
    std::swap(held_[i], held_[i - 1]);
}

void DmaWrites::write_more() {
  writing_out_ = true;
  for (;;) {
    if (jobs_.first() > writing_ && leaving_ == Bytes::zero()) {
      ++writing_;
      taken_ = {clock_.after(left_.when, config_.descriptor_cycles), left_, net::Stage::pipeline,
                "DMA load descriptor"};
    }
    if (held_.empty() || held_.front().job != writing_) break;
    if (const std::int32_t n = full_writes(held_.front()); n > 0)
      write_train(n);
    else if (!gather())
      break;
    finish();
  }
  writing_out_ = false;
}

std::int32_t DmaWrites::full_writes(const Held& data) const {
  const flow::Packet& completion = *data.completion;
  const Bytes each = completion.payload;
  if (data.taken > Bytes::zero() || each != ports_.max_payload()) return 0;
  auto n = static_cast<std::int64_t>(data.when.size() - data.next);
  if (completion.last_payload != each) --n;
  const Layout to = jobs_.front().what.to();
  n = to.run(data.offset, each * n) / each;
  if (n == 0) return 0;
  const flow::Pieces writes = pcie::next_writes({each}, to.address_of(data.offset), each * n, n);
  return writes.each < each ? 0 : static_cast<std::int32_t>(writes.count);
}

void DmaWrites::write_train(std::int32_t n) {
  const Held& data = held_.front();
  const flow::Packet& completion = *data.completion;
  net::Schedule when;
  when.reserve(static_cast<std::size_t>(n));
  for (std::size_t i = data.next; i < data.next + static_cast<std::size_t>(n); ++i)
    when.push_back({std::max(data.when[i].head, taken_.until), std::max(data.when[i].tail, taken_.until)});
  flow::PacketPtr p = pcie::memory_write(pool_, jobs_.front().what.to().address_of(data.offset), completion.payload);
  p->set_train(n, completion.payload, completion.payload);
  p->parent = completion.id;
  p->origin = completion.origin;
  p->origin_offset = completion.origin_offset;
  const Time arrived = data.arrived[data.next].tail;
  take(completion.payload * n, *p);
  write(std::move(p), std::move(when), arrived);
}

DmaWrites::Gathered DmaWrites::ready_bytes(Time now) const {
  const Held& first = held_.front();
  const DmaJobs::Job& job = jobs_.front();
  const Layout to = job.what.to();
  const std::uint64_t address = to.address_of(first.offset);
  Gathered g;
  const Bytes room =
      pcie::next_writes({ports_.max_payload()}, address, to.run(first.offset, job.what.length - first.offset)).each;
  const std::uint64_t from = first.completion->origin_offset;
  for (std::size_t i = 0; i < held_.size() && g.bytes < room; ++i) {
    const Held& h = held_[i];
    const flow::Packet& c = *h.completion;
    // What lies apart in the source is another read's, and goes in another write.
    if (h.job != writing_ || h.offset != first.offset + g.bytes || c.origin != first.completion->origin ||
        c.origin_offset != from + unsigned_of(g.bytes))
      break;
    for (std::size_t k = h.next; k < h.when.size() && g.bytes < room; ++k) {
      if (h.when[k].tail > now) return g;
      const Bytes left = c.payload_of(static_cast<std::int32_t>(k)) - (k == h.next ? h.taken : Bytes::zero());
      g.bytes += std::min(left, room - g.bytes);
      g.last = {h.when[k].tail, c.id};
      g.arrived = h.arrived[k].tail;
    }
  }
  return g;
}

bool DmaWrites::gather() {
  if (leaving_ > Bytes::zero()) return false;  // until the write before has left
  sim::Simulation& sim = chip_.simulation();
  const Held& first = held_.front();
  const Time at = std::max({first.when[first.next].tail, taken_.until, left_.when});
  if (at > sim.now()) {
    sim.agenda().arm_by(calls_.alarm, at);
    return false;
  }
  const Gathered g = ready_bytes(at);
  const flow::Packet& completion = *first.completion;
  flow::PacketPtr p = pcie::memory_write(pool_, jobs_.front().what.to().address_of(first.offset), g.bytes);
  p->parent = g.last.when == at || left_.when < at ? g.last.packet : left_.packet;
  p->origin = completion.origin;
  p->origin_offset = completion.origin_offset;
  take(g.bytes, *p);
  write(std::move(p), net::Schedule::at(at), g.last.when == at ? g.arrived : at);
  return true;
}

void DmaWrites::take(Bytes n, flow::Packet& to) {
  for (Bytes done; done < n;) {
    Held& h = held_.front();
    flow::Packet& c = *h.completion;
    const Bytes left = c.payload_of(static_cast<std::int32_t>(h.next)) - h.taken;
    const Bytes part = std::min(n - done, left);
    if (c.contents) {
      const auto said = c.contents.part(c.payload * static_cast<std::int64_t>(h.next) + h.taken, part);
      to.say(done + said.at, said.bytes);
    }
    done += part;
    h.taken += part;
    h.offset += part;
    c.origin_offset += unsigned_of(part);
    if (part < left) return;
    h.taken = Bytes::zero();
    if (++h.next == h.when.size()) held_.pop_front();
  }
}

void DmaWrites::write(flow::PacketPtr p, net::Schedule when, Time arrived) {
  net::Delivery d;
  jobs_.front().written += p->total_payload();
  leaving_ += p->total_payload();
  if (when.front().tail == taken_.until) p->parent = taken_.since.packet;
  if (when.front().tail == taken_.until)
    chip_.tell(p->id, p->parent, taken_.stage, taken_.what, taken_.since.when, taken_.until);
  else
    chip_.tell(p->id, p->parent, net::Stage::pipeline, "DMA store, build write", arrived, when.front().tail);
  if (when.back().tail >= last_write_.when) last_write_ = {when.back().tail, p->id};
  d.slot = net::Slot(calls_.owner, pcie::posted, flow::Credits::of(1, p->payload.count()),
                     flow::Credits::of(1, p->last_payload.count()), p->count);
  d.packet = std::move(p);
  d.schedule = std::move(when);
  ports_.write(std::move(d));
}

void DmaWrites::finish() {
  while (!jobs_.empty() && jobs_.front().written == jobs_.front().what.length) {
    const bool last = jobs_.front().last;
    jobs_.pop_front();
    if (last && registers_.status_address() != 0) write_status();
  }
}

void DmaWrites::write_status() {
  net::Delivery d;
  d.packet = pcie::memory_write(pool_, registers_.status_address(), 8_B);
  d.packet->say_last(++status_value_);
  // Same source and class as the data, queued behind it: posted writes keep their order to the end.
  d.schedule = net::Schedule::at(clock_.steps_after(last_write_.when, 1));
  d.packet->parent = last_write_.packet;
  chip_.tell(d.packet->id, last_write_.packet, net::Stage::pipeline, "DMA build status", last_write_.when,
             d.schedule.front().tail);
  ports_.write(std::move(d));
}

}  // namespace tsunagi::peach2
