// SPDX-License-Identifier: Apache-2.0
#include "models/host/peer_reads.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "flow/segmentation.hpp"

namespace tsunagi::host {

void describe(PeerConfig& c, config::Describer& d) {
  using namespace config;
  d.field("peer_latency", c.latency, "from slot to slot for a read of a card by a card, and for its completion",
          at_most(10_us), ideal(0_ns));
  d.field("peer_read_size", c.read_size, "such reads are passed on in pieces of this size", one_of({64, 128, 256}),
          ideal(256));
  d.field("peer_reads", c.reads, "pieces under way at a time", within(1, 1024), ideal(1024));
  d.field("peer_read_recovery", c.read_recovery,
          "from the last completion of a piece until its place can be used for another", at_most(10_us), ideal(0_ns));
  d.choice("peer_across_qpi", c.across_qpi,
           {{"refused", static_cast<std::int64_t>(AcrossQpi::refused), "a card cannot reach cards of another socket"},
            {"forwarded", static_cast<std::int64_t>(AcrossQpi::forwarded), "it can, slowly"}},
           "accesses of a card to a card of another socket");
  d.field("peer_qpi_latency", c.qpi_latency, "more for such an access, each way", at_most(10_us), ideal(0_ns));
  d.field("peer_qpi_reads", c.qpi_reads, "pieces under way at a time to another socket", within(1, 1024), ideal(1024));
  d.field("peer_qpi_write_time", c.qpi_write_time,
          "time that each 64-byte line of a slot's writes to cards of another socket takes: the next one waits for its "
          "acknowledgement, unless it has relaxed ordering",
          at_most(10_us), ideal(0_ns));
}

PeerReads::PeerReads(net::Device& owner, flow::PacketPool& pool, const PeerConfig& c, int number, Send send)
    : owner_(owner),
      pool_(pool),
      config_(c),
      number_(number),
      send_(std::move(send)),
      near_(c.reads),
      far_(c.qpi_reads) {}

void PeerReads::request(int in, int out, bool across, net::Delivery d, Time behind) {
  if (d.packet->count != 1) throw std::logic_error(owner_.name() + ": a train of peer-to-peer reads");
  const Time arrived = d.schedule.back().tail;
  waiting_.push_back({std::move(d), in, out, across, Bytes::zero(), arrived, behind});
  // Requests of one instant in the order of the slots.
  for (std::size_t i = waiting_.size() - 1; i > 0; --i) {
    Request& before = waiting_[i - 1];
    if (before.arrived != arrived || before.in <= in || before.issued > Bytes::zero()) break;
    std::swap(before, waiting_[i]);
  }
  owner_.simulation().agenda().arm_by(alarm_, arrived);
}

Time PeerReads::pass(const flow::Packet& p, std::uint64_t parent, const char* what, Time begin, bool across,
                     Time behind) const {
  const Time passed = begin + latency(across);
  owner_.tell(p.id, parent, net::Stage::pipeline, what, begin, passed);
  owner_.tell(p.id, 0, net::Stage::pipeline, "behind earlier posted writes", passed, behind);
  return std::max(passed, behind);
}

void PeerReads::issue() {
  sim::Simulation& sim = owner_.simulation();
  while (!waiting_.empty()) {
    Request& r = waiting_.front();
    const Places& places = r.across ? far_ : near_;
    if (!places.any_free()) return;  // until a completion comes
    const Time at = std::max(r.arrived, free_from(places.free_since(places.first_free())));
    if (at > sim.now()) return sim.agenda().arm_by(alarm_, at);
    issue_piece(r);
    if (r.issued < asked_bytes(*r.delivery.packet)) continue;
    r.delivery.slot.release(net::Schedule::at(sim.now()));
    waiting_.pop_front();
  }
}

void PeerReads::issue_piece(Request& r) {
  const flow::Packet& p = *r.delivery.packet;
  const Time now = owner_.simulation().now();
  const std::uint64_t address = p.address + static_cast<std::uint64_t>(r.issued.count());
  const Bytes left = asked_bytes(p) - r.issued;
  const Bytes piece = flow::next_piece(address, left, config_.read_size, config_.read_size);
  net::Delivery d;
  d.packet = pool_.clone(p);
  Places& places = r.across ? far_ : near_;
  const flow::Cause left_by = places.free_since(places.first_free());
  // What came last let it go: its place, the piece before, or the request.
  const bool waited = now > r.arrived && now == free_from(left_by);
  if (now > r.arrived) d.packet->parent = waited ? left_by.packet : last_piece_;
  if (waited) owner_.tell(d.packet->id, left_by.packet, net::Stage::tag, "peer-to-peer read slot", left_by.when, now);
  const std::uint64_t cause = waited && left_by.when < now ? 0 : d.packet->parent;
  d.schedule = net::Schedule::at(pass(*d.packet, cause, "peer-to-peer read", now, r.across, r.behind));
  const int tag = places.claim(piece, {r.in, p.header<Transaction>().requester}) + (r.across ? near_.count() : 0);
  set_read(*d.packet, address, 1, piece);
  d.packet->header<Transaction>().requester = {static_cast<std::uint32_t>(number_), static_cast<std::uint16_t>(tag)};
  r.issued += piece;
  last_piece_ = d.packet->id;
  send_(r.in, r.out, std::move(d));
}

void PeerReads::complete(int in, net::Delivery d, Time behind) {
  Transaction& h = d.packet->header<Transaction>();
  const bool across = is_across(h.requester.tag);
  Places& places = across ? far_ : near_;
  const int tag = h.requester.tag - (across ? near_.count() : 0);
  const Bytes size = answered_bytes(*d.packet);
  if (size == Bytes::zero() || !places.expects(tag, size))
    throw std::runtime_error(owner_.name() + ": an answer came for no peer-to-peer read");
  const Read read = places[tag];
  h.requester = read.requester;
  const Time arrived = d.schedule.back().tail;
  const Time more = latency(across);
  pass(*d.packet, 0, "peer-to-peer completion", d.schedule.front().head, across, behind);
  for (net::Span& s : d.schedule) s = {std::max(s.head + more, behind), std::max(s.tail + more, behind)};
  const flow::Cause last{arrived, d.packet->id};
  if (places.arrived(tag, size, last) && !waiting_.empty())
    owner_.simulation().agenda().arm_by(alarm_, std::max(arrived, free_from(last)));
  send_(in, read.asked_by, std::move(d));
}

}  // namespace tsunagi::host
