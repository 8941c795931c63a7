// SPDX-License-Identifier: Apache-2.0
#include "models/fpga/write_mover.hpp"

#include <algorithm>

#include "models/pcie/segmentation.hpp"
#include "models/pcie/tlp.hpp"

namespace tsunagi::fpga {

WriteMover::WriteMover(net::Device& card, flow::PacketPool& pool, const WriteMoverConfig& c, net::Datapath path,
                       MoverPorts ports, ReadableMemory memory, int max_train)
    : card_(card),
      pool_(pool),
      config_(c),
      path_(path),
      ports_(std::move(ports)),
      memory_(std::move(memory)),
      max_train_(max_train),
      buffer_(c.buffer) {}

void WriteMover::take(const Descriptor& d, Cause by) {
  loaded_ = path_.clock.after(by.when, config_.start_cycles);
  told_free_ = false;
  if (sending_ == jobs_.size()) before_ = next_word_.until;
  // Bursts are asked for ahead: only the first one's latency is seen.
  jobs_.push_back({d,
                   {loaded_ + memory_.read_latency, {loaded_, by.packet}, net::Stage::memory, "read"},
                   Bytes::zero(),
                   Bytes::zero()});
  card_.tell(by.packet, 0, net::Stage::pipeline, "write data mover loads the descriptor", by.when, loaded_);
  send_more();
}

void WriteMover::tell_free() {
  if (told_free_ || jobs_.size() - sending_ > 1) return;
  told_free_ = true;
  ports_.free(std::max(loaded_, before_));
}

void WriteMover::send_more() {
  for (; sending_ < jobs_.size(); ++sending_) {
    Job& job = jobs_[sending_];
    if (job.sent == Bytes::zero()) next_word_ = later(next_word_, job.ready);
    while (job.sent < job.what.length)
      if (!send_train(job)) return tell_free();
    next_write_.until = path_.clock.after(next_write_.until, config_.turnaround_cycles);
    if (sending_ + 2 == jobs_.size()) before_ = next_word_.until;
  }
  tell_free();
}

bool WriteMover::send_train(Job& job) {
  const std::uint64_t address = job.what.destination + unsigned_of(job.sent);
  const std::uint64_t from = job.what.source + unsigned_of(job.sent);
  const Bytes left = job.what.length - job.sent;
  const auto [piece, alike] = pcie::next_writes({card_.ports().front().max_payload()}, address, left, max_train_);
  if (!buffer_.covers(piece)) return false;
  const bool says = memory_.says(from, std::min(left, piece * max_train_));
  // A train has one block of contents.
  const std::int64_t most = says ? std::min(alike, flow::Contents::most / piece) : alike;
  net::Delivery d;
  d.packet = pcie::memory_write(pool_, address, piece);
  d.packet->parent = next_write_.since.packet;
  d.packet->origin_offset = from;
  std::int32_t count = 0;
  do {
    d.schedule.push_back(make(*d.packet, from + unsigned_of(piece * count), piece));
    job.sent += piece;
    ++count;
  } while (count < most && buffer_.covers(piece));
  d.packet->set_train(count, piece, piece);
  if (says) d.packet->contents = memory_.load(from, d.packet->total_payload(), d.schedule.front().head);
  d.slot = net::Slot(*this, pcie::posted, flow::Credits::of(1, piece.count()), count);
  ports_.send(std::move(d));
  return true;
}

Wait WriteMover::read(std::uint64_t at, Bytes n) {
  const Cause room = buffer_.claim(n);
  const Wait why =
      later(next_word_, {room.when + memory_.read_latency, room, net::Stage::buffer, "write data mover's buffer"});
  const Time there = path_.clock.after(why.until, units_of(n, path_.width));
  const std::uint64_t burst = unsigned_of(config_.burst);
  const auto ended = static_cast<std::int64_t>((at + unsigned_of(n)) / burst - at / burst);
  next_word_ = {path_.clock.after(there, ended * config_.burst_gap), why.since, why.stage, why.what};
  return {there, why.since, why.stage, why.what};
}

net::Span WriteMover::make(const flow::Packet& p, std::uint64_t at, Bytes n) {
  const Wait why = later(next_write_, read(at, n));
  const Time begin = path_.clock.at_or_after(why.until);
  const Time end = path_.clock.after(begin, beats(card_.ports().front().channel(), p, n, path_.width));
  next_write_ = {end, {begin, p.id}, net::Stage::pipeline, "write data mover's words"};
  card_.tell(p.id, why.since.packet, why.stage, why.what, why.since.when, begin);
  return {begin, end};
}

void WriteMover::slot_released(flow::FlowClass, flow::Credits per_packet, net::Spans when, std::uint64_t packet) {
  for (const net::Span& s : when) {
    const Bytes n(per_packet.data);
    buffer_.release(n, {s.tail, packet});
    Job& job = jobs_.front();
    job.left += n;
    if (job.left < job.what.length) continue;
    const Time signal = path_.clock.after(s.tail, config_.status_cycles);
    card_.tell(packet, 0, net::Stage::pipeline, "completion signal", s.tail, signal);
    ports_.done(job.what, {signal, packet});
    jobs_.pop_front();
    --sending_;
  }
  // Not from here: who lets go is in the middle of something.
  if (sending_ < jobs_.size() && !space_alarm_.armed())
    card_.simulation().agenda().arm(space_alarm_, std::max(slot_now(), buffer_.first_free()));
}

}  // namespace tsunagi::fpga
