// SPDX-License-Identifier: Apache-2.0
// The request side of a DMA channel: which read leaves when, and what it waited for.
#include <algorithm>

#include "flow/segmentation.hpp"
#include "models/pcie/tlp.hpp"
#include "models/peach2/dma_channel.hpp"

namespace tsunagi::peach2 {

Wait DmaChannel::tag_back(int tag, const char* what) const {
  const Cause since = tags_.free_since(tag);
  return {since.packet == 0 ? Time::zero() : clock_.after(since.when, 1), since, net::Stage::tag, what};
}

bool DmaChannel::all_back(Wait& w) const {
  if (!tags_.all_free()) return false;
  for (int tag = 0; tag < tags_.count(); ++tag) w = later(w, tag_back(tag, "reads of the other memory"));
  return true;
}

void DmaChannel::request_more() {
  sim::Simulation& sim = chip_.simulation();
  for (;;) {
    const Next fetching = next_fetch();
    const Next reading = next_read();
    const Next& next = fetching.at <= reading.at ? fetching : reading;
    if (next.at == Time::max()) return;
    // Other space may yet get free before: nothing is decided ahead of time.
    if (next.at > sim.now()) return sim.agenda().arm(request_alarm_, next.at);
    if (write_alarm_.armed() && write_alarm_.time() <= sim.now()) {  // whichever alarm rings first
      sim.agenda().disarm(write_alarm_);
      write_more();
      continue;
    }
    next.data ? read(next) : fetch(next);
  }
}

DmaChannel::Next DmaChannel::next_read() {
  Next n;
  if (requesting_ == jobs_.size()) return n;
  const Job& job = jobs_[requesting_];
  const Layout from = job.what.from();
  n.address = from.address_of(job.requested);
  n.piece = flow::next_piece(n.address, from.run(job.requested, job.what.length - job.requested),
                             config_.max_read_request, 4_KiB);
  n.data = true;
  if (!tags_.any_free() || !buffer_.covers(n.piece)) return n;
  const Cause space = buffer_.free_since(n.piece);
  // One request a cycle, a cycle after its tag came back, not before its buffer space is free.
  n.why = later(job.ready, issued_);
  if (job.requested == Bytes::zero()) n.why = later(n.why, loaded_);
  // Data come by one way at a time, from port N or from the chip's memory: so they stay in order.
  if (job.own != reading_own_ && !all_back(n.why)) return n;
  n.why = later(n.why, tag_back(tags_.first_free(), "read tag"));
  n.why = later(n.why, {space.when, space, net::Stage::buffer, "DMA buffer"});
  n.at = clock_.at_or_after(std::max(n.why.until, chip_.simulation().now()));
  return n;
}

net::Delivery DmaChannel::make_request(const Next& n, int tag) {
  net::Delivery d = chip_.begin(pcie::memory_read(pool_, n.address, n.piece), n.why, n.at);
  d.packet->header<pcie::Tlp>().requester.tag = static_cast<std::uint16_t>(number_ * config_.tag_numbers() + tag);
  issued_ = {clock_.after(n.at, 1), {n.at, d.packet->id}, net::Stage::pipeline, "DMA next request"};
  return d;
}

void DmaChannel::read(const Next& n) {
  Job& job = jobs_[requesting_];
  buffer_.claim(n.piece);
  const int tag = tags_.claim(n.piece, {first_job_ + requesting_, job.requested});
  job.requested += n.piece;
  reading_own_ = job.own;
  net::Delivery d = make_request(n, tag);
  if (job.requested == job.what.length) {
    loaded_ = {clock_.after(n.at, 1 + config_.descriptor_cycles), issued_.since, net::Stage::pipeline,
               "DMA load descriptor"};
    made_room(issued_.since);
    ++requesting_;
  }
  ports_.read(std::move(d));
}

void DmaChannel::slot_released(flow::FlowClass, flow::Credits per_packet, net::Spans when, std::uint64_t packet) {
  for (const net::Span& s : when) buffer_.release(Bytes(per_packet.data), {s.tail, packet});
  released_space_ = true;
  leaving_ -= Bytes(per_packet.data) * static_cast<std::int64_t>(when.size());
  if (when.back().tail >= left_.when) left_ = {when.back().tail, packet};
  if (writing_out_) return;
  write_more();
  request_more();
}

}  // namespace tsunagi::peach2
