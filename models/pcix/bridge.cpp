// SPDX-License-Identifier: Apache-2.0
#include "models/pcix/bridge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "config/error_at.hpp"
#include "models/host/root_complex_tlp.hpp"
#include "models/host/transaction.hpp"
#include "models/pcie/framing.hpp"
#include "units/parse.hpp"

namespace tsunagi::pcix {

void describe(BridgeConfig& c, config::Describer& d) {
  using namespace config;
  d.field("upstream_latency", c.upstream_latency,
          "from the bus to the host's link: of a request from its end, of data "
          "from their way past the bus",
          at_most(10_us), ideal(0_ns));
  d.field("downstream_latency", c.downstream_latency, "from the host's link until the bus is asked for", at_most(10_us),
          ideal(0_ns));
  d.field("posted_buffer", c.posted_buffer,
          "bytes of the bus's writes that have not gone up, at most; one of the "
          "largest byte count must fit",
          within(most_bytes, 1_MiB), ideal(1_MiB));
  d.field("split_requests", c.split_requests, "reads of the bus under way; others are told to retry", within(1, 64),
          ideal(64));
  d.field("downstream_requests", c.downstream_requests, "writes, and reads, of the host that wait for the bus",
          within(1, 64), ideal(64));
  d.field("write_size", c.write_size, "largest write on the host's link, which ends at multiples of it",
          one_of({64, 128, 256, 512, 1024, 2048, 4096}));
  d.field("request_size", c.request_size, "largest read on the host's link, which ends at multiples of it",
          one_of({64, 128, 256, 512, 1024, 2048, 4096}), ideal(4_KiB));
  d.field("completion_start", c.completion_start, "data of a read that must be here before the bus is asked for",
          one_of({128, 256, 512, 1024, 2048, 4096}), ideal(128));
  d.field("completion_size", c.completion_size, "largest split completion", one_of({128, 256, 512, 1024, 2048, 4096}),
          ideal(4_KiB));
  d.require(c.completion_start <= c.completion_size, "\"completion_start\" must not be above \"completion_size\"");
}

Bridge::Bridge(DeviceArgs args, const BridgeConfig& c)
    : Device(args.sim, args.pool, args.name), config_(c), max_train_(args.max_train) {
  constexpr std::int32_t all = flow::Credits::infinite;
  ports().reserve(2);
  enum Kind : int { host, bus };
  add_port("host", args.specs.of(c, host, [&] {
    net::PortSpec s;
    s.protocol = "on_chip";
    s.needed = true;
    s.in_order = true;
    s.rx.pipeline.delay = c.downstream_latency;
    s.rx.buffers = {{c.downstream_requests, all}, {c.downstream_requests, all}, {all, all}};
    return s;
  }));
  add_port("bus", args.specs.of(c, bus, [&] {
    net::PortSpec s;
    s.protocol = "pcix";
    s.needed = true;
    s.rx.store_and_forward = false;
    s.rx.pipeline.delay = c.upstream_latency;
    const auto units = static_cast<std::int32_t>(units_of(c.posted_buffer, pcie::PcieFraming::data_credit));
    s.rx.buffers = {{all, units}, {c.split_requests, all}, {all, all}};
    return s;
  }));
}

void Bridge::wired() {
  bus_ = dynamic_cast<const Bus*>(&port(bus_port).channel().destination());
  if (bus_ == nullptr || port(bus_port).channel().destination_port() != Bus::host_port)
    throw config::error_at("/machine",
                           fmt::format("{}: its port \"bus\" must lead to the port \"host\" of a PCI-X bus", name()));
  const Bytes largest = port(host_port).max_payload();
  if (config_.write_size > largest)
    throw config::error_at("/machine", fmt::format("{}: writes of {} (\"write_size\") do not fit the link at \"host\", "
                                                   "which carries {}",
                                                   name(), to_string(config_.write_size), to_string(largest)));
  port(bus_port).tell_space(*this);
}

void Bridge::receive(int in, net::Delivery&& d) {
  if (in == bus_port) {
    switch (pcie::tlp_class(*d.packet)) {
      case pcie::posted:
        return write_came(std::move(d));
      case pcie::non_posted:
        return read_came(std::move(d));
      default:
        host::to_transaction(*d.packet);
        return port(host_port).send(0, std::move(d));
    }
  }
  if (host::transaction_class(d.packet->header<host::Transaction>().type) == host::answer_class)
    return answer_came(std::move(d));
  to_bus(std::move(d));
}

void Bridge::to_bus(net::Delivery d) {
  host::to_tlp(*d.packet);
  port(bus_port).send(0, std::move(d));
}

std::int64_t Bridge::pieces(const flow::Packet& write) const {
  std::int64_t n = 0;
  for (Bytes done; done < write.payload; ++n)
    done += flow::next_piece(write.address + unsigned_of(done), write.payload - done, config_.write_size,
                             config_.write_size);
  return n;
}

/// Its first data are here now, the others come with the bus's clocks.
void Bridge::write_came(net::Delivery d) {
  const flow::Packet& p = *d.packet;
  const Timing& timing = bus_->timing();
  const Time head = d.schedule.front().head;
  leaving_.push_back({pieces(p), std::move(d.slot)});  // before any of it is gone
  for (Bytes done; done < p.payload;) {
    const std::uint64_t at = p.address + unsigned_of(done);
    const Bytes n = flow::next_piece(at, p.payload - done, config_.write_size, config_.write_size);
    const bool whole = n == p.payload;
    net::Delivery up;
    up.packet = whole ? std::move(d.packet) : pool().clone(p);
    if (!whole) {
      up.packet->contents.reset();
      if (p.contents)
        if (const flow::Contents::Part said = p.contents.part(done, n); said.bytes.size > 0)
          up.packet->contents.add(pool().contents(), said.at, said.bytes);
      up.packet->address = at;
      up.packet->origin_offset += unsigned_of(done);
      up.packet->set_payload(n);
    }
    done += n;
    const Time there = head + bus_->clock().cycles(timing.data(whole ? up.packet->address : p.address, done));
    tell(up.packet->id, whole ? 0 : p.id, net::Stage::pipeline, "data phases", head, there);
    host::to_transaction(*up.packet);
    up.schedule = net::Schedule::at(there);
    up.slot = net::Slot(*this, host::write_class, {1, 0}, 1);
    port(host_port).send(0, std::move(up));
    if (whole) return;
  }
}

void Bridge::slot_released(flow::FlowClass, flow::Credits, net::Spans when, std::uint64_t packet) {
  for (const net::Span& s : when) {
    Leaving& first = leaving_.front();
    if (--first.packets > 0) continue;
    net::Slot slot = std::move(first.slot);
    leaving_.pop_front();
    slot.release(net::Schedule::at(s.tail), packet);
  }
}

void Bridge::read_came(net::Delivery d) {
  const flow::Packet& p = *d.packet;
  const Bytes n(p.header<pcie::Tlp>().length);
  Read r;
  r.number = ++numbers_;
  r.address = p.address;
  r.left = n;
  const Time at = d.schedule.front().head;
  for (Bytes done; done < n;) {
    const std::uint64_t from = p.address + unsigned_of(done);
    const Bytes piece = flow::next_piece(from, n - done, config_.request_size, config_.request_size);
    net::Delivery up;
    up.packet = host::make_read(pool(), from, piece);
    up.packet->parent = p.id;
    host::Transaction& h = up.packet->header<host::Transaction>();
    h.agent = host::Agent::card;
    h.requester.tag = static_cast<std::uint16_t>(r.number);
    up.schedule = net::Schedule::at(at);
    done += piece;
    port(host_port).send(0, std::move(up));
  }
  r.request = std::move(d.packet);
  r.slot = std::move(d.slot);
  reads_.push_back(std::move(r));
}

void Bridge::answer_came(net::Delivery d) {
  const flow::Packet& p = *d.packet;
  const host::Transaction& h = p.header<host::Transaction>();
  std::size_t i = 0;
  while (i < reads_.size() && static_cast<std::uint16_t>(reads_[i].number) != h.requester.tag) ++i;
  if (i == reads_.size()) throw std::runtime_error(name() + ": an answer came for nobody's read");
  Read& r = reads_[i];
  Coming one;
  one.read = r.number;
  one.at = d.schedule.front().head;
  one.size = host::answered_bytes(p);
  one.failed = h.status != host::TransactionStatus::okay;
  one.last = {d.schedule.back().tail, p.id};
  d.slot.release(d.schedule);
  one.contents = std::move(d.packet->contents);
  r.coming += one.size;
  one.matters = one.failed || may_matter();
  const bool matters = one.matters;
  const Time at = one.at;
  coming_.push_back(std::move(one));
  if (matters) simulation().agenda().arm_by(alarm_, at);
}

bool Bridge::may_matter() const {
  for (std::size_t i = 0; i < reads_.size(); ++i) {
    const Read& r = reads_[i];
    if (r.left > Bytes::zero() && (r.failed || ready(r, r.there + r.coming) > Bytes::zero())) return true;
  }
  return false;
}

void Bridge::gather() {
  for (; !coming_.empty() && coming_.front().at <= now(); coming_.pop_front()) {
    Coming& one = coming_.front();
    std::size_t i = 0;
    while (reads_[i].number != one.read) ++i;
    Read& r = reads_[i];
    if (one.contents)
      if (const flow::Contents::Part said = one.contents.part(Bytes::zero(), one.size); said.bytes.size > 0)
        r.contents.add(pool().contents(), r.there + said.at, said.bytes);
    r.there += one.size;
    r.coming -= one.size;
    r.failed = r.failed || one.failed;
    r.last = one.last;
  }
}

void Bridge::space_freed(Time when) {
  space_.add(std::max(when, now()));
  if (!reads_.empty()) simulation().agenda().arm_by(alarm_, std::max(when, now()));
}

Bytes Bridge::ready(const Read& r, Bytes there) const {
  if (r.failed) return there == r.left ? r.left : Bytes::zero();
  if (there < r.left && there < config_.completion_start) return Bytes::zero();
  return next_completion(r.address, there, r.left, config_.completion_size);
}

void Bridge::complete() {
  gather();
  for (std::size_t i = 0; i < reads_.size(); ++i)
    if (reads_[i].left > Bytes::zero() && ready(reads_[i], reads_[i].there) > Bytes::zero()) {
      send_completion(reads_[i]);
      break;
    }
  const Time space = space_.next(now());
  if (!reads_.empty() && space != Time::max()) simulation().agenda().arm_by(alarm_, space);
  for (std::size_t i = 0; i < coming_.size(); ++i)
    if (coming_[i].matters) return simulation().agenda().arm_by(alarm_, coming_[i].at);
}

void Bridge::send_completion(Read& r) {
  const Bytes n = ready(r, r.there);
  flow::PacketPtr p = pcie::completion_with_data(pool(), *r.request, r.address, n);
  p->contents.reset();
  if (r.failed) pcie::set_failed(*p, pcie::CompletionStatus::unsupported_request);
  if (!port(bus_port).takes(*p)) return;
  if (r.contents && !r.failed) p->contents = r.contents.take_front(n);
  r.address += unsigned_of(n);
  r.left -= n;
  r.there -= n;
  const net::Wait why{now(), r.last, net::Stage::buffer, "data gather for the bus"};
  net::Delivery d = begin(std::move(p), why, now());
  if (r.left == Bytes::zero()) {
    r.request.reset();
    d.slot = std::move(r.slot);
  }
  while (!reads_.empty() && reads_.front().left == Bytes::zero()) reads_.pop_front();
  port(bus_port).send(0, std::move(d));
}

std::string Bridge::leftover() const {
  if (!leaving_.empty()) return "posted writes have not gone up";
  return reads_.empty() ? "" : "reads of the bus are under way";
}

}  // namespace tsunagi::pcix
