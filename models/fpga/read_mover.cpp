// SPDX-License-Identifier: Apache-2.0
#include "models/fpga/read_mover.hpp"

#include <algorithm>

namespace tsunagi::fpga {

ReadMover::ReadMover(net::Device& card, flow::PacketPool& pool, const ReadMoverConfig& c, net::Datapath path,
                     MoverPorts ports, Store store)
    : card_(card),
      config_(c),
      path_(path),
      ports_(std::move(ports)),
      store_(std::move(store)),
      reads_(card, pool,
             {path.clock, c.max_read_request, c.tags, 0, c.request_cycles, c.max_read_request, "read data mover's tag",
              "read data mover's next request"},
             [this](net::Delivery d) { ports_.send(std::move(d)); }) {}

void ReadMover::take(const Descriptor& d, Cause by) {
  const std::uint64_t number = first_job_ + jobs_.size();
  jobs_.push_back({d, Bytes::zero(), by});
  loaded_ = path_.clock.after(by.when, config_.start_cycles);
  told_free_ = false;
  reads_.ask(number, d.source, d.length, {loaded_, by, net::Stage::pipeline, "read data mover loads the descriptor"});
  tell_free();
}

void ReadMover::tell_free() {
  if (told_free_ || reads_.waiting() > 1) return;
  told_free_ = true;
  ports_.free(std::max(loaded_, reads_.requested_before()));
}

void ReadMover::complete(net::Delivery d) {
  const flow::Packet& p = *d.packet;
  const Time came = d.schedule.front().tail;
  Time there;
  for (std::int32_t i = 0; i < p.count; ++i) {
    net::Span& s = d.schedule[static_cast<std::size_t>(i)];
    const Bytes n = p.payload_of(i);
    s.head = path_.clock.at_or_after(std::max(s.tail, taken_in_.when));
    s.tail = path_.clock.after(s.head, beats(card_.ports().front().incoming(), p, n, path_.width));
    taken_in_ = {s.tail, p.id};
  }
  const pcie::ReadRequester::Part part = reads_.arrived(p, taken_in_.when);
  Job& job = jobs_[part.transfer - first_job_];
  std::uint64_t at = job.what.destination + unsigned_of(part.offset);
  for (std::int32_t i = 0; i < p.count; ++i) {
    there = store_(p, i, at, d.schedule[static_cast<std::size_t>(i)].tail);
    at += unsigned_of(p.payload_of(i));
  }
  card_.tell(p.id, 0, net::Stage::pipeline, "read data mover takes it in", came, taken_in_.when);
  card_.tell(p.id, 0, net::Stage::memory, "write", taken_in_.when, there);
  job.moved += p.total_payload();
  if (there >= job.last.when) job.last = {there, p.id};
  d.slot.release(d.schedule);
  reads_.issue();
  tell_free();
  tell_done();
}

void ReadMover::tell_done() {
  for (; !jobs_.empty() && jobs_.front().moved == jobs_.front().what.length; jobs_.pop_front(), ++first_job_) {
    const Job& done = jobs_.front();
    const Time signal = path_.clock.after(done.last.when, config_.status_cycles);
    card_.tell(done.last.packet, 0, net::Stage::pipeline, "completion signal", done.last.when, signal);
    ports_.done(done.what, {signal, done.last.packet});
  }
}

}  // namespace tsunagi::fpga
