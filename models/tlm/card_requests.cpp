// SPDX-License-Identifier: Apache-2.0
#include "models/tlm/card_requests.hpp"

#include <algorithm>
#include <stdexcept>

#include "models/pcie/segmentation.hpp"
#include "sim/counted.hpp"
#include "sim/sc_time.hpp"

namespace tsunagi::card {

/// Being in a line, and at last its first.
class CardRequests::Turn {
 public:
  Turn(const CardRequests& requests, Line& line) : Turn(line) {  // who is killed here has been in the line
    while (me_ != line_.waiting.begin()) requests.wait(line_.changed);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    line_.waiting.erase(me_);
    if (!line_.waiting.empty()) line_.changed.notify(sc_core::SC_ZERO_TIME);
  }

 private:
  explicit Turn(Line& line) : line_(line), me_(line.waiting.insert(line.waiting.end(), 0)) {}
  Line& line_;
  std::list<int>::iterator me_;
};

CardRequests::CardRequests(net::Device& card, flow::PacketPool& pool, const TlmCardConfig& c)
    : card_(card), pool_(pool), config_(c), free_places_(c.queue), tags_(c.tags) {}

Time CardRequests::slot_now() const { return card_.simulation().now(); }

void CardRequests::wait(const sc_core::sc_event& e) const {
  sc_core::wait(e);
  sim::Visit::resumed(card_.simulation());
}

void CardRequests::wait_until(Time t) const {
  if (t <= slot_now()) return;
  sc_core::wait(sim::to_sc(t - slot_now()));
  sim::Visit::resumed(card_.simulation());
}

void CardRequests::slot_released(flow::FlowClass, flow::Credits, net::Spans when, std::uint64_t) {
  free_places_ += static_cast<int>(when.size());
  for_place_.changed.notify(sc_core::SC_ZERO_TIME);
}

void CardRequests::write(std::uint64_t address, const std::uint8_t* bytes, Bytes n) {
  const sim::Counted call(calls_);
  net::Port& port = card_.ports().front();
  while (n > Bytes::zero()) {
    const Turn turn(*this, for_place_);
    while (free_places_ == 0) wait(for_place_.changed);
    const Bytes piece = pcie::next_writes({port.max_payload()}, address, n).each;
    net::Delivery d;
    d.packet = pcie::memory_write(pool_, address, piece);
    d.packet->say(Bytes::zero(), {bytes, static_cast<std::size_t>(piece.count())});
    d.schedule = net::Schedule::at(slot_now());
    d.slot = net::Slot(*this, pcie::posted, {1, 0}, 1);
    --free_places_;
    port.send(0, std::move(d));
    address += static_cast<std::uint64_t>(piece.count());
    bytes += piece.count();
    n -= piece;
  }
}

void CardRequests::wait_for_tag() {
  const Turn turn(*this, for_tag_);
  for (;;) {
    // Free, or first to be: its last byte is on its way.
    if (!tags_.any_free()) {
      wait(for_tag_.changed);
      continue;
    }
    const Time free_at = tags_.free_since(tags_.first_free()).when;
    if (free_at <= slot_now()) return;
    wait_until(free_at);
  }
}

pcie::CompletionStatus CardRequests::read(std::uint64_t address, std::uint8_t* bytes, Bytes n) {
  const sim::Counted call(calls_);
  net::Port& port = card_.ports().front();
  const auto job = std::make_shared<Job>(n);
  std::uint8_t* to = job->bytes.data();
  while (n > Bytes::zero()) {
    wait_for_tag();
    const Bytes piece = pcie::next_read(address, n, config_.max_read_request);
    const int tag = tags_.claim(piece, {job, to});
    ++job->requests;
    net::Delivery d;
    d.packet = pcie::memory_read(pool_, address, piece);
    d.packet->header<pcie::Tlp>().requester.tag = static_cast<std::uint16_t>(tag);
    d.schedule = net::Schedule::at(slot_now());
    port.send(0, std::move(d));
    address += static_cast<std::uint64_t>(piece.count());
    to += piece.count();
    n -= piece;
  }
  while (job->requests > 0) wait(job->done);
  wait_until(job->there);
  std::copy(job->bytes.begin(), job->bytes.end(), bytes);
  return job->status;
}

void CardRequests::complete(net::Delivery d) {
  const flow::Packet& p = *d.packet;
  const pcie::Tlp& h = p.header<pcie::Tlp>();
  const int tag = h.requester.tag;
  const Bytes n = pcie::completed_bytes(p);
  if (n == Bytes::zero() || !tags_.expects(tag, n))
    throw std::runtime_error(card_.name() + " received a completion for no read");
  Read& read = tags_[tag];
  p.contents.copy(Bytes::zero(), p.total_payload(), read.to);
  read.to += n.count();
  const std::shared_ptr<Job> job = read.job;
  job->status = std::max(job->status, h.status);
  job->there = std::max(job->there, d.schedule.back().tail);
  d.slot.release(d.schedule);
  if (!tags_.arrived(tag, n, {d.schedule.back().tail, p.id})) return;
  read = {};  // a killed thread's bytes live no longer
  --job->requests;
  for_tag_.changed.notify(sc_core::SC_ZERO_TIME);
  job->done.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace tsunagi::card
