// SPDX-License-Identifier: Apache-2.0
#include "models/sr8000/send_unit.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/host/refusal.hpp"
#include "models/host/transaction.hpp"
#include "models/sr8000/header.hpp"

namespace tsunagi::sr8000 {

SendUnit::SendUnit(net::Device& adapter, flow::PacketPool& pool, std::uint32_t node, const Config& c)
    : adapter_(adapter), pool_(pool), node_(node), config_(c) {}

void SendUnit::kick(std::uint64_t tcw, const net::Cause& by) {
  kicks_.push_back({tcw, by});
  if (!sending_) begin_next();
}

void SendUnit::begin_next() {
  const Kick k = kicks_.take_front();
  sending_ = true;
  ++number_;
  fetched_ = false;
  asked_ = came_ = {};
  const Time begin = std::max(k.by.when, adapter_.simulation().now());
  read(k.tcw, Tcw::size, {config_.clock.after(begin, config_.fetch_cycles), k.by, net::Stage::pipeline, "kick"});
}

void SendUnit::read(std::uint64_t address, Bytes n, const net::Wait& why) {
  flow::PacketPtr p = host::make_read(pool_, address, n);
  p->header<host::Transaction>().agent = host::Agent::card;
  port(bus).send(0, adapter_.begin(std::move(p), why, why.until));
}

void SendUnit::answered(net::Delivery d) {
  host::require_okay(adapter_, *d.packet);
  const net::Cause by{d.schedule.back().tail, d.packet->id};
  d.slot.release(d.schedule);
  if (!fetched_) {
    TcwBytes bytes{};
    if (d.packet->contents) d.packet->contents.copy(Bytes::zero(), Tcw::size, bytes.data());
    tcw_ = decode_tcw(bytes.data());
    fetched_ = true;
    ready_ = {config_.clock.after(by.when, config_.decode_cycles), by, net::Stage::pipeline, "decode TCW"};
    return read_data();
  }
  const Bytes n = d.packet->total_payload();
  flow::PacketPtr p = pool_.make();
  p->set_payload(n);
  p->contents = std::move(d.packet->contents);
  p->origin = d.packet->origin;
  p->origin_offset = d.packet->origin_offset;
  const std::uint64_t offset = tcw_.offset + unsigned_of(came_);
  came_ += n;
  send(std::move(p), by, tcw_.field, offset);
  if (came_ < tcw_.length || !tcw_.flagged) return;
  flow::PacketPtr flag = pool_.make();
  flag->set_payload(8_B);
  flag->say_last(flag_of(node_, number_));
  ++packets_;
  send(std::move(flag), by, tcw_.flag_field, tcw_.flag_offset);
}

void SendUnit::read_data() {
  const Bytes largest = std::min(port(net).max_payload(), port(bus).max_payload());
  while (asked_ < tcw_.length && packets_ < config_.read_ahead) {
    const Bytes n = std::min(largest, tcw_.length - asked_);
    net::Wait why = ready_;
    why.until = std::max(why.until, adapter_.simulation().now());
    read(tcw_.source + unsigned_of(asked_), n, why);
    asked_ += n;
    ++packets_;
  }
}

void SendUnit::send(flow::PacketPtr p, const net::Cause& by, std::uint16_t field, std::uint64_t offset) {
  Header h;
  h.route = router::header_of(static_cast<int>(node_), static_cast<int>(tcw_.destination), 1);
  h.last = tcw_.last;
  h.field = field;
  h.purpose = tcw_.broadcast ? Purpose::broadcast : Purpose::remote_dma;
  p->header<Header>() = h;
  p->address = offset;
  const net::Wait why{config_.clock.after(by.when, config_.build_cycles), by, net::Stage::pipeline, "build packet"};
  net::Delivery d = adapter_.begin(std::move(p), why, why.until);
  d.slot = net::Slot(*this, 0, {1, 0}, 1);
  port(net).send(0, std::move(d));
}

void SendUnit::slot_released(flow::FlowClass, flow::Credits, net::Spans when, std::uint64_t packet) {
  for (const net::Span& s : when) left_.push_back({s.tail, packet});
  adapter_.simulation().agenda().arm_by(left_alarm_, std::max(left_.front().when, slot_now()));
}

void SendUnit::packets_left() {
  while (!left_.empty() && left_.front().when <= slot_now()) {
    const net::Cause last = left_.take_front();
    --packets_;
    if (packets_ == 0 && came_ == tcw_.length) return finish(last);
    ready_ = {last.when, last, net::Stage::buffer, "a packet to leave"};
    read_data();
  }
  if (!left_.empty()) adapter_.simulation().agenda().arm_by(left_alarm_, left_.front().when);
}

void SendUnit::finish(const net::Cause& last) {
  const net::Wait why{config_.clock.after(last.when, config_.status_cycles), last, net::Stage::pipeline,
                      "write status"};
  flow::PacketPtr p = host::make_write(pool_, status_, 8_B);
  p->header<host::Transaction>().agent = host::Agent::card;
  p->say_last(number_);
  port(bus).send(0, adapter_.begin(std::move(p), why, why.until));
  sending_ = false;
  if (!kicks_.empty()) begin_next();
}

}  // namespace tsunagi::sr8000
