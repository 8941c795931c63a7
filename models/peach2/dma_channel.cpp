// SPDX-License-Identifier: Apache-2.0
#include "models/peach2/dma_channel.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "models/pcie/tlp.hpp"

namespace tsunagi::peach2 {

DmaChannel::DmaChannel(net::Device& chip, flow::PacketPool& pool, const DmaConfig& c, Clock clock, int number,
                       DmaPorts ports)
    : chip_(chip),
      pool_(pool),
      config_(c),
      clock_(clock, c.step_cycles),
      ports_(std::move(ports)),
      number_(number),
      fetch_(chip.simulation(), c, clock_, jobs_),
      reads_(chip.simulation(), c, clock_, jobs_),
      writes_(chip, pool, c, clock_, ports_, registers_, jobs_, {*this, write_alarm_}) {}

void DmaChannel::fail(const std::string& what) const {
  throw std::runtime_error(fmt::format("{}: DMA channel {}: {}", chip_.name(), number_, what));
}

void DmaChannel::no_register(std::uint64_t offset) const { fail(fmt::format("no register at offset {:#x}", offset)); }

void DmaChannel::write_register(std::uint64_t offset, std::uint64_t value, Cause by) {
  if (offset == Registers::control) return start(value, by);
  if (offset == Registers::chain) return start_chain(value, by);
  std::uint64_t* const word = registers_.at(offset);
  if (word == nullptr) no_register(offset);
  *word = value;
}

std::uint64_t DmaChannel::read_register(std::uint64_t offset) const {
  if (offset == Registers::control) return busy() ? 1 : 0;
  if (offset == Registers::chain) return chain_address_;
  const std::uint64_t* const word = registers_.at(offset);
  if (word == nullptr) no_register(offset);
  return *word;
}

void DmaChannel::begin(Cause by) {
  if (busy()) fail("started while it runs");
  issued_ = {};
  reads_.start();
  writes_.start(by);
}

void DmaChannel::start(std::uint64_t count, Cause by) {
  begin(by);
  if (count == 0 || count > registers_.descriptors()) fail(fmt::format("start of {} descriptors", count));
  // Two steps to the first request: the doorbell is decoded and the descriptor loaded, then the request is built.
  const Wait ready{clock_.steps_after(by.when, 2), by, net::Stage::pipeline, "DMA decode, build request"};
  for (std::size_t i = 0; i < count; ++i) {
    Descriptor d;
    try {
      d = registers_.descriptor(i);
    } catch (const std::invalid_argument& e) {
      fail(fmt::format("descriptor {}: {}", i, e.what()));
    }
    add_job(d, ready, i + 1 == count);
  }
  request_more();
}

void DmaChannel::start_chain(std::uint64_t first, Cause by) {
  begin(by);
  if (first == 0 || first % static_cast<std::uint64_t>(Descriptor::size.count()) != 0)
    fail(fmt::format("a chain starts at {:#x}, not at a multiple of {} B", first, Descriptor::size.count()));
  chain_address_ = first;
  fetch_.start(first, ports_.is_own(Address(first)), by, 1);  // as with registers, the doorbell is decoded first
  request_more();
}

void DmaChannel::add_job(const Descriptor& d, const Wait& ready, bool last) {
  jobs_.push({d, ready, Bytes::zero(), Bytes::zero(), ports_.is_own(Address(d.source)), last});
}

void DmaChannel::fetch_after(std::uint64_t address, Cause by) {
  fetch_.start(address, ports_.is_own(Address(address)), by, 0);
}

void DmaChannel::request_more() {
  sim::Simulation& sim = chip_.simulation();
  for (;;) {
    const DmaRequest fetching = fetch_.next(issued_);
    const DmaRequest reading = reads_.next(issued_);
    const DmaRequest& next = fetching.at <= reading.at ? fetching : reading;
    if (next.at == Time::max()) return;
    // Other space may yet get free before: nothing is decided ahead of time.
    if (next.at > sim.now()) return sim.agenda().arm(request_alarm_, next.at);
    if (write_alarm_.armed() && write_alarm_.time() <= sim.now()) {  // whichever alarm rings first
      sim.agenda().disarm(write_alarm_);
      writes_.write_more();
      continue;
    }
    next.data ? read(next) : fetch(next);
  }
}

net::Delivery DmaChannel::make_request(const DmaRequest& n, int tag) {
  net::Delivery d = chip_.begin(pcie::memory_read(pool_, n.address, n.piece), n.why, n.at);
  d.packet->header<pcie::Tlp>().requester.tag = static_cast<std::uint16_t>(number_ * config_.tag_numbers() + tag);
  issued_ = {clock_.after(n.at, 1), {n.at, d.packet->id}, net::Stage::pipeline, "DMA next request"};
  return d;
}

void DmaChannel::fetch(const DmaRequest& n) {
  fetch_.begin();
  ports_.read(make_request(n, config_.tags));
}

void DmaChannel::read(const DmaRequest& n) {
  net::Delivery d = make_request(n, reads_.begin(n));
  if (jobs_.requesting().requested == jobs_.requesting().what.length) {
    fetch_.made_room(issued_.since);
    reads_.load_next(n.at, issued_.since);
  }
  ports_.read(std::move(d));
}

void DmaChannel::complete(net::Delivery d) {
  const flow::Packet& p = *d.packet;
  const Cause last{d.schedule.back().tail, p.id};
  const int number = p.header<pcie::Tlp>().requester.tag - number_ * config_.tag_numbers();
  if (number == config_.tags) {
    d.slot.release(d.schedule);
    return fetched(p, last);
  }
  const Bytes total = p.total_payload();
  if (!reads_.expects(number, total)) fail("a completion came for no read");
  d.slot.release(d.schedule);
  writes_.hold(std::move(d), reads_[number]);
  const bool done = reads_.arrived(number, total, last);
  write_ready();
  if (done) request_more();
}

void DmaChannel::fetched(const flow::Packet& p, Cause by) {
  if (fetch_.fetching() == 0 || p.total_payload() != Descriptor::size)
    fail("a completion came for no fetch of a descriptor");
  Chained c;
  try {
    c = decode({p.contents.word(0_B), p.contents.word(8_B), p.contents.word(16_B), p.contents.word(24_B)});
  } catch (const std::invalid_argument& e) {
    fail(fmt::format("descriptor at {:#x}: {}", fetch_.fetching(), e.what()));
  }
  fetch_.end();
  // It is in the form that the engine takes: loaded, not decoded. Then its first request is built.
  add_job(c.what,
          {clock_.steps_after(clock_.after(by.when, config_.descriptor_cycles), 1), by, net::Stage::pipeline,
           "DMA load descriptor, build request"},
          c.next == 0);
  if (c.next != 0) fetch_after(c.next, by);
  request_more();
}

void DmaChannel::write_ready() {
  released_space_ = false;
  writes_.write_more();
  if (released_space_) request_more();
}

void DmaChannel::slot_released(flow::FlowClass, flow::Credits per_packet, net::Spans when, std::uint64_t packet) {
  for (const net::Span& s : when) reads_.release(Bytes(per_packet.data), {s.tail, packet});
  released_space_ = true;
  writes_.gone(Bytes(per_packet.data) * static_cast<std::int64_t>(when.size()), {when.back().tail, packet});
  if (writes_.writing()) return;
  writes_.write_more();
  request_more();
}

}  // namespace tsunagi::peach2
