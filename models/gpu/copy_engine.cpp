// SPDX-License-Identifier: Apache-2.0
#include "models/gpu/copy_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "models/gpu/release.hpp"
#include "models/pcie/segmentation.hpp"
#include "models/pcie/tags.hpp"
#include "models/pcie/tlp.hpp"
#include "units/parse.hpp"

namespace tsunagi::gpu {

namespace {

/// Of an engine, whose tags are numbered with those of the others.
int most_tags(const CopyEngineConfig& c) {
  const int of_others = CopyEngine::tag_numbers(c) - c.tags;
  return std::clamp(pcie::usable_tags(c.tag_bits) / std::max(1, c.count) - of_others, 1, 1024);
}

}  // namespace

void describe(CopyEngineConfig& c, config::Describer& d) {
  using namespace config;
  d.field("count", c.count, "copy engines; 0: none", within(0, 16));
  d.field("clock", c.clock, "their clock", within(Frequency(10'000'000), Frequency(10'000'000'000)),
          ideal(Frequency(10'000'000'000)));
  d.field("fetch_cycles", c.fetch_cycles, "from a doorbell, or an entry of the ring, to the read of what it points to",
          within(1, 10'000), ideal(1));
  d.field("start_cycles", c.start_cycles, "from a command's last byte to the first access to data", within(1, 10'000),
          ideal(1));
  d.field("release_cycles", c.release_cycles, "from the last byte to the flush or the semaphore behind it",
          within(1, 10'000), ideal(1));
  d.field("width", c.width, "bytes of the GPU's own memory that an engine reads a cycle", within(1_B, 1_KiB),
          ideal(1_KiB));
  d.field("align_writes", c.align_writes, "no write crosses a multiple of the link's max payload, not only of 4 KiB");
  d.field("write_size", c.write_size, "largest write of an engine; the link's max payload bounds it, too",
          one_of({64, 128, 256, 512, 1024, 2048, 4096}), ideal(4096));
  d.field("relaxed_ordering", c.relaxed_ordering, "writes of data to the host have the attribute of relaxed ordering");
  d.field("max_read_request", c.max_read_request, "largest read of host memory (MRRS)",
          one_of({128, 256, 512, 1024, 2048, 4096}), ideal(4096));
  pcie::describe_tag_bits(c.tag_bits, d);
  d.field("tags", c.tags, "reads of data that an engine has under way at most", within(1, 1024), ideal(most_tags(c)));
  pcie::require_tags(d, c.count * CopyEngine::tag_numbers(c), c.tag_bits, "tags");
  d.field("buffer", c.buffer, "bytes of its own memory that an engine has read and not sent, at most",
          within(4_KiB, 1_MiB), ideal(1_MiB));
}

CopyEngine::CopyEngine(net::Device& gpu, flow::PacketPool& pool, const CopyEngineConfig& c, int number,
                       EnginePorts ports)
    : gpu_(gpu),
      pool_(pool),
      config_(c),
      clock_(c.clock),
      number_(number),
      ports_(std::move(ports)),
      reads_(gpu, pool,
             {clock_, c.max_read_request, c.tags, number * tag_numbers(c) + first_data_tag, 1, ports_.read_boundary,
              "copy engine read tag", "copy engine next request", ports_.asked_a_cycle},
             [this](net::Delivery d) { ports_.read(std::move(d)); }),
      space_(c.buffer) {}

void CopyEngine::run(const Command& c, CommandOwner& owner, Cause by) {
  const auto* copy = std::get_if<CopyCommand>(&c);
  if (copy == nullptr) throw std::runtime_error(gpu_.name() + ": a copy engine copies");
  jobs_.push_back(
      {*copy,
       &owner,
       {clock_.after(by.when, config_.start_cycles), by, net::Stage::pipeline, "copy engine decodes the command"},
       Bytes::zero(),
       Bytes::zero()});
  if (!running_) begin();
}

void CopyEngine::number_read(net::Delivery& d, int tag) const {
  d.packet->header<pcie::Tlp>().requester.tag = static_cast<std::uint16_t>(number_ * tag_numbers(config_) + tag);
}

void CopyEngine::begin() {
  running_ = true;
  next_ = later(next_, jobs_.front().ready);
  beat_left_ = Bytes::zero();
  const CopyCommand& what = jobs_.front().what;
  if (what.from == Aperture::local) check_memory(what.source, what.length);
  if (what.to == Aperture::local) check_memory(what.destination, what.length);
  if (what.from == Aperture::local)
    send_more();
  else
    reads_.ask(0, what.source, what.length, next_);
}

void CopyEngine::check_memory(std::uint64_t offset, Bytes n) const {
  const auto size = static_cast<std::uint64_t>(ports_.memory_size.count());
  if (offset > size || static_cast<std::uint64_t>(n.count()) > size - offset)
    throw std::runtime_error(fmt::format("{}: a copy of {} at {:#x} of a memory of {}", gpu_.name(), to_string(n),
                                         offset, to_string(ports_.memory_size)));
}

void CopyEngine::end(Cause last_byte) {
  const Time at = clock_.after(last_byte.when, config_.release_cycles);
  const CopyCommand& what = jobs_.front().what;
  net::Delivery d =
      release_of(gpu_, pool_, what.semaphore, what.payload, last_byte, at, "copy engine builds the release");
  const Cause ended{at, d.packet->id};
  d.slot = net::Slot(releases_, pcie::posted, flow::Credits::of(1, 4), 1);
  CommandOwner& owner = *jobs_.front().owner;
  releases_.owners.push_back(&owner);
  (ports_.release ? ports_.release : ports_.write)(std::move(d));
  jobs_.pop_front();
  running_ = false;
  next_ = {clock_.after(at, 1), ended, net::Stage::pipeline, "copy engine goes to the next command"};
  owner.ended(ended);
  if (!running_ && !jobs_.empty()) begin();
}

// --- own memory to elsewhere ---

net::Span CopyEngine::read_own(const flow::Packet& p, Bytes n) {
  const Cause space = space_.claim(n);
  const Wait room{space.when, space, net::Stage::buffer, "copy engine buffer"};
  const bool joins = n <= beat_left_ && room.until <= beat_;
  const Wait why = joins ? room : later(next_, room);
  const Time begin = joins ? beat_ : clock_.at_or_after(why.until);
  const Time end = clock_.after(begin, units_of(n, config_.width));
  beat_left_ = (joins ? beat_left_ : std::max(n, config_.width)) - n;
  beat_ = begin;
  const Time data = end + ports_.read_latency;
  next_ = {end, {begin, p.id}, net::Stage::pipeline, "copy engine beats"};
  gpu_.tell(p.id, why.since.packet, why.stage, why.what, why.since.when, begin);
  gpu_.tell(p.id, 0, net::Stage::memory, "read", begin, data);
  return {data, data};
}

void CopyEngine::send_more() {
  Job& job = jobs_.front();
  const CopyCommand& what = job.what;
  const pcie::WriteCut cut{std::min(config_.write_size, ports_.max_payload()), config_.align_writes};
  Cause last;
  while (job.asked < what.length) {
    const std::uint64_t address = what.destination + static_cast<std::uint64_t>(job.asked.count());
    const auto [piece, alike] = pcie::next_writes(cut, address, what.length - job.asked, ports_.max_train);
    if (!space_.covers(piece)) return;
    net::Delivery d;
    d.packet = pcie::memory_write(pool_, address, piece);
    d.packet->header<pcie::Tlp>().attributes.relaxed_ordering = config_.relaxed_ordering && what.to == Aperture::host;
    d.packet->parent = next_.since.packet;
    const std::uint64_t from = what.source + static_cast<std::uint64_t>(job.asked.count());
    d.packet->origin_offset = from;
    const bool says = ports_.says(from, std::min(what.length - job.asked, piece * ports_.max_train));
    // A train has one block of contents.
    const std::int64_t most = says ? std::min(alike, flow::Contents::most / piece) : alike;
    std::int32_t count = 0;
    do {
      d.schedule.push_back(read_own(*d.packet, piece));
      job.asked += piece;
      ++count;
    } while (count < most && space_.covers(piece));
    d.packet->set_train(count, piece, piece);
    if (says) d.packet->contents = ports_.load(from, d.packet->total_payload(), d.schedule.front().tail);
    last = {d.schedule.back().tail, d.packet->id};
    d.slot = net::Slot(*this, pcie::posted, flow::Credits::of(1, piece.count()), count);
    ports_.write(std::move(d));
  }
  if (what.flush)
    flush(last);
  else
    end(last);
}

void CopyEngine::slot_released(flow::FlowClass, flow::Credits per_packet, net::Spans when, std::uint64_t packet) {
  for (const net::Span& s : when) space_.release(Bytes(per_packet.data), {s.tail, packet});
  if (!running_) return;
  const Job& job = jobs_.front();
  // Not from here: who lets go is in the middle of something.
  if (job.what.from == Aperture::local && job.asked < job.what.length && !space_alarm_.armed())
    gpu_.simulation().agenda().arm(space_alarm_, std::max(slot_now(), space_.first_free()));
}

void CopyEngine::Releases::slot_released(flow::FlowClass, flow::Credits, net::Spans when, std::uint64_t packet) {
  owners.take_front()->left({when.back().tail, packet});
}

void CopyEngine::flush(Cause last_byte) {
  const CopyCommand& what = jobs_.front().what;
  const std::uint64_t last = what.destination + static_cast<std::uint64_t>(what.length.count()) - 1;
  const std::uint64_t piece = unsigned_of(ports_.interleave);
  const std::uint64_t pieces = last / piece - what.destination / piece + 1;
  const Time at = clock_.after(last_byte.when, config_.release_cycles);
  flushes_ = static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(ports_.ways), pieces));
  for (int i = 0; i < flushes_; ++i) {
    // The last word of the copy, and before it those of the pieces that went by the other ways.
    const std::uint64_t word = i == 0 ? last : (last / piece - static_cast<std::uint64_t>(i) + 1) * piece - 1;
    net::Delivery d = gpu_.begin(pcie::memory_read(pool_, word / 4 * 4, 4_B),  // a read has whole words of 4 B
                                 {at, last_byte, net::Stage::pipeline, "copy engine builds the flush"}, at);
    number_read(d, flush_tag);
    ports_.write(std::move(d));
  }
}

void CopyEngine::flushed(Cause by) {
  if (--flushes_ == 0) end(by);
}

// --- host memory to own memory ---

void CopyEngine::store(net::Delivery d) {
  Bytes offset = reads_.arrived(*d.packet, d.schedule.back().tail).offset;
  Job& job = jobs_.front();
  const flow::Packet& p = *d.packet;
  for (std::int32_t i = 0; i < p.count; ++i) {
    const Time there = d.schedule[static_cast<std::size_t>(i)].tail + ports_.write_latency;
    ports_.store(p, i, job.what.destination + unsigned_of(offset), there);
    offset += p.payload_of(i);
  }
  job.moved += p.total_payload();
  const Time tail = d.schedule.back().tail;
  gpu_.tell(p.id, 0, net::Stage::memory, "write", tail, tail + ports_.write_latency);
  d.slot.release(d.schedule);
  if (job.moved == job.what.length) return end({tail + ports_.write_latency, p.id});
  reads_.issue();
}

void CopyEngine::complete(net::Delivery d) {
  const flow::Packet& p = *d.packet;
  const Cause by{d.schedule.back().tail, p.id};
  const int tag = p.header<pcie::Tlp>().requester.tag - number_ * tag_numbers(config_);
  if (tag >= first_data_tag) return store(std::move(d));
  d.slot.release(d.schedule);
  flushed(by);
}

}  // namespace tsunagi::gpu
