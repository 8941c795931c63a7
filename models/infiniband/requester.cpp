// SPDX-License-Identifier: Apache-2.0
#include "models/infiniband/requester.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace tsunagi::infiniband {

Requester::Requester(CardParts& parts, const QueuePairConfig& c, std::uint32_t lid, int writer,
                     CompletionQueue& completions)
    : parts_(parts),
      config_(c),
      number_(static_cast<std::uint32_t>(c.number)),
      lid_(lid),
      writer_(writer),
      completions_(completions),
      stream_(parts.engine.add(*this, c.port, c.number, SendEngine::Kind::requests)),
      requests_(parts.make_requests(parts, c, *this)),
      retries_left_(c.retries.count),
      ready_retries_left_(c.retries.receiver_not_ready_count) {}

void Requester::fail(const std::string& what) const {
  throw std::runtime_error(fmt::format("{}: queue pair {}: {}", parts_.card.name(), number_, what));
}

void Requester::woken(const net::Cause& by) {
  if (!busy())
    context_ = {parts_.clock.after(by.when, parts_.context_cycles), by, net::Stage::pipeline, "queue pair's context"};
}

void Requester::request(const PlacedRequest& r, flow::Contents data, const net::Cause& by) {
  woken(by);
  // One that others are to be fetched before is fetched behind them.
  if (!requests_->pass(r)) return requests_->doorbell(by);
  fetched(r, std::move(data), by);
}

void Requester::fetched(const PlacedRequest& r, flow::Contents data, const net::Cause& by) {
  Work w;
  w.what = r.what;
  w.index = r.index;
  w.message = ++messages_;
  w.first = sequence_;
  if (r.what.datagram != addresses_requests(config_.service))
    fail("a datagram's address belongs to work requests of datagrams, and to all");
  if (!reliable() && (r.what.operation != Operation::send || r.what.length > config_.mtu))
    fail("a datagram is a send of one packet");
  if (reliable_datagrams()) {
    if (r.what.operation != Operation::send) fail("of reliable datagrams only sends are modelled");
    // The only one under way: the end-to-end context of its destination goes on.
    w.first = sequence_ = oldest_ = highest_ = renewed_ = next_to_[r.what.lid];
  }
  w.packets = is_atomic(r.what.operation)
                  ? 1
                  : static_cast<std::uint32_t>(std::max<std::int64_t>(units_of(r.what.length, config_.mtu), 1));
  sequence_ = (sequence_ + w.packets) & number_mask;
  if (reliable_datagrams()) next_to_[r.what.lid] = sequence_;
  w.data = std::move(data);
  w.ready = later(
      {parts_.clock.after(std::max(by.when, now()), parts_.decode_cycles), by, net::Stage::pipeline, "work request"},
      context_);
  const Time at = w.ready.until;
  works_.push_back(std::move(w));
  parts_.card.simulation().agenda().arm_by(decode_alarm_, at);
}

bool Requester::next(Outgoing& out) {
  if (waits_ || cursor_ == works_.size()) return false;
  Work& w = works_[cursor_];
  if (w.ready.until > now()) {
    parts_.card.simulation().agenda().arm_by(decode_alarm_, w.ready.until);
    return false;
  }
  if (is_answered(w.what.operation)) {
    if (answers_ == parts_.reads_under_way) return false;
    ++answers_;
  }
  fill(out, w);
  out.number = w.number = made_++;
  const std::uint32_t behind =
      (is_answered(w.what.operation) ? w.first + w.packets : out.header.sequence + 1) & number_mask;
  if (out.header.ask != 0 || is_answered(w.what.operation))
    asked_.push_back({out.number, (behind - 1) & number_mask, false, {}});
  // When the last packet has gone the next request is next.
  if (++w.sent == w.packets || is_answered(w.what.operation)) ++cursor_;
  if (ahead(behind, highest_) > 0)
    highest_ = behind;
  else if (reliable())
    ++retransmissions_;
  out.last = cursor_ == works_.size();
  return true;
}

Opcode Requester::opcode_of(const Work& w, std::uint32_t packet) const {
  const bool first = packet == 0, last = packet + 1 == w.packets;
  switch (w.what.operation) {
    case Operation::read:
      return Opcode::read_request;
    case Operation::compare_and_swap:
      return Opcode::compare_and_swap;
    case Operation::fetch_and_add:
      return Opcode::fetch_and_add;
    case Operation::write:
      return first ? last ? Opcode::write_only : Opcode::write_first : last ? Opcode::write_last : Opcode::write_middle;
    case Operation::send:
      break;
  }
  if (!reliable()) return Opcode::datagram_send_only;
  if (!last) return first ? Opcode::send_first : Opcode::send_middle;
  if (w.what.has_immediate) return first ? Opcode::send_only_immediate : Opcode::send_last_immediate;
  return first ? Opcode::send_only : Opcode::send_last;
}

void Requester::fill(Outgoing& out, Work& w) {
  const WorkRequest& r = w.what;
  const std::uint32_t packet = r.operation == Operation::read ? w.came : w.sent;
  const Bytes offset = config_.mtu * static_cast<std::int64_t>(packet);
  const std::uint32_t to = r.datagram ? r.lid : config_.peer_lid;
  out.header.route = route(parts_, config_, lid_, to);
  out.header.queue_pair = r.datagram ? r.queue_pair : config_.peer;
  out.header.sequence = (w.first + packet) & number_mask;
  const Opcode code = opcode_of(w, packet);
  out.header.opcode = static_cast<std::uint32_t>(code);
  out.header.datagram = reliable_datagrams() ? 1 : 0;
  out.address = r.datagram ? number_ : r.operation == Operation::send ? r.immediate : r.remote + unsigned_of(offset);
  out.why = w.ready;
  out.origin = w.message;
  out.origin_offset = unsigned_of(offset);
  if (r.operation == Operation::read) {
    out.asked = r.length - offset;
    return;
  }
  if (is_atomic(r.operation)) {
    out.payload = Bytes(16);
    out.here = true;
    std::array<std::uint8_t, 16> operands{};
    flow::write_word(&operands[0], r.operand, 8);
    flow::write_word(&operands[8], r.compare, 8);
    out.contents.add(parts_.pool.contents(), Bytes::zero(), {operands.data(), operands.size()});
    return;
  }
  out.payload = std::min(config_.mtu, r.length - offset);
  out.here = r.inlined;
  out.from = r.local + unsigned_of(offset);
  if (r.inlined && w.data) {
    const flow::Contents::Part part = w.data.part(offset, out.payload);
    if (part.bytes.size > 0) out.contents.add(parts_.pool.contents(), part.at, part.bytes);
  }
  const bool last = packet + 1 == w.packets;
  if (!reliable()) return;
  // Behind the last request nothing else would show that it has been lost.
  const bool needed = last && (r.signalled || parts_.ask_each || cursor_ + 1 == works_.size());
  out.header.ask = needed || ++since_ask_ >= parts_.ask_interval ? 1 : 0;
  if (out.header.ask != 0) since_ask_ = 0;
}

}  // namespace tsunagi::infiniband
