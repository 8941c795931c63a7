// SPDX-License-Identifier: Apache-2.0
#include "models/infiniband/send_engine.hpp"

#include <algorithm>
#include <utility>

namespace tsunagi::infiniband {

namespace {

constexpr int bits = 64;

}  // namespace

SendEngine::SendEngine(net::Device& card, flow::PacketPool& pool, dma::Port& host, const Config& c)
    : card_(card), pool_(pool), host_(host), config_(c), buffer_(c.buffer) {}

int SendEngine::add(PacketSource& source, int port, int queue_pair, Kind kind) {
  const auto number = static_cast<std::size_t>(2 * queue_pair + static_cast<int>(kind));
  if (number >= streams_.size()) streams_.resize(number + 1);
  streams_[number].source = &source;
  streams_[number].port = port;
  active_.resize((streams_.size() + bits - 1) / bits);
  return static_cast<int>(number);
}

void SendEngine::wake(int stream) {
  Stream& s = streams_[static_cast<std::size_t>(stream)];
  if (s.active) return;
  s.active = true;
  active_[static_cast<std::size_t>(stream / bits)] |= std::uint64_t{1} << stream % bits;
  arm();
}

void SendEngine::sleep(int stream) {
  streams_[static_cast<std::size_t>(stream)].active = false;
  active_[static_cast<std::size_t>(stream / bits)] &= ~(std::uint64_t{1} << stream % bits);
}

void SendEngine::recall(int stream, std::optional<std::uint32_t> from) {
  Stream& s = streams_[static_cast<std::size_t>(stream)];
  for (std::size_t i = 0; i < s.waiting.size(); ++i)
    if (!from || ahead(s.waiting[i].packet.header.sequence, *from) >= 0) s.waiting[i].recalled = true;
  send_ready(stream);
}

void SendEngine::arm() {
  const int stream = pick();
  if (stream < 0) return;
  const Bytes most = most_of(stream);
  if (!buffer_.covers(most)) return;  // who releases some goes on
  const Time room = buffer_.free_since(most).when;
  card_.simulation().agenda().arm_by(turn_, std::max({card_.simulation().now(), next_turn_.until, room}));
}

Bytes SendEngine::most_of(int stream) const {
  return card_.ports()[static_cast<std::size_t>(streams_[static_cast<std::size_t>(stream)].port)].max_payload();
}

int SendEngine::pick() const {
  const auto words = static_cast<int>(active_.size());
  const int from = last_ + 1;
  // The word where the search begins comes last once more, for what lies before that.
  for (int i = 0; i <= words; ++i) {
    const int word = (from / bits + i) % words;
    std::uint64_t rest = active_[static_cast<std::size_t>(word)];
    if (i == 0 && from < words * bits) rest &= ~std::uint64_t{0} << from % bits;
    if (rest != 0) return word * bits + __builtin_ctzll(rest);
  }
  return -1;
}

void SendEngine::take_turn() {
  const Time now = card_.simulation().now();
  for (int stream; (stream = pick()) >= 0;) {
    Stream& s = streams_[static_cast<std::size_t>(stream)];
    // The largest packet has to fit, whichever comes.
    const Bytes most = most_of(stream);
    if (!buffer_.covers(most)) return;  // who releases some goes on
    const net::Cause room = buffer_.free_since(most);
    if (room.when > now) return card_.simulation().agenda().arm_by(turn_, room.when);
    last_ = stream;
    Outgoing p;
    if (!s.source->next(p)) {
      sleep(stream);
      continue;
    }
    if (p.last) sleep(stream);
    net::Wait turn = later(net::later(p.why, next_turn_), {room.when, room, net::Stage::buffer, "send buffer"});
    if (config_.processor != nullptr) {
      turn.until = std::max(turn.until, now);
      turn = next_turn_ = config_.processor->run(turn, config_.packet_cycles + p.set_up_cycles, "packet to send");
    } else {
      turn.until = config_.clock.after(now, p.set_up_cycles);  // the packet engine goes on meanwhile
      next_turn_ = {config_.clock.after(now, std::max(config_.packet_cycles, p.set_up_cycles)),
                    turn.since,  // what the first of those waited for that follow each other there
                    net::Stage::pipeline, "packet engine"};
    }
    start(stream, std::move(p), turn);
    break;
  }
  arm();
}

void SendEngine::start(int stream, Outgoing&& p, const net::Wait& turn) {
  Stream& s = streams_[static_cast<std::size_t>(stream)];
  const std::uint64_t number = s.first + s.waiting.size();
  ++under_way_;
  Waiting w;
  w.there = p.here || p.payload == Bytes::zero();
  w.ready = turn;
  const Bytes n = p.payload;
  const std::uint64_t from = p.from;
  const bool behind = p.behind;
  w.packet = std::move(p);
  const bool there = w.there;
  s.waiting.push_back(std::move(w));
  if (n > Bytes::zero()) buffer_.claim(n);
  if (there) return send_ready(stream);
  const std::uint64_t token = static_cast<std::uint64_t>(stream) << 40 | (number & 0xffffffffff);
  if (behind) return host_.read_behind(*this, token, from, n, turn);
  host_.read(*this, token, from, n, turn);
}

void SendEngine::data_came(std::uint64_t token, flow::Contents bytes, net::Cause last) {
  const int stream = static_cast<int>(token >> 40);
  Stream& s = streams_[static_cast<std::size_t>(stream)];
  const std::uint64_t back = (token - s.first) & 0xffffffffff;
  Waiting& w = s.waiting[back];
  w.there = true;
  w.packet.contents = std::move(bytes);
  w.ready = {last.when, last, net::Stage::pipeline, "packet built"};
  send_ready(stream);
}

void SendEngine::send_ready(int stream) {
  Stream& s = streams_[static_cast<std::size_t>(stream)];
  const Time now = card_.simulation().now();
  while (!s.waiting.empty() && s.waiting.front().there) {
    Waiting w = s.waiting.take_front();
    ++s.first;
    Outgoing& o = w.packet;
    if (w.recalled) {
      --under_way_;
      if (o.payload > Bytes::zero()) {
        buffer_.release(o.payload, {now, 0});
        arm();
      }
      continue;
    }
    w.ready.until = config_.clock.after(std::max(w.ready.until, now), config_.build_cycles);
    flow::PacketPtr p = pool_.make();
    p->set_payload(o.payload);
    if (o.asked > Bytes::zero()) p->set_requests(o.address, 1, o.asked);
    p->address = o.address;
    p->header<Header>() = o.header;
    p->contents = std::move(o.contents);
    p->origin = o.origin;
    p->origin_offset = o.origin_offset;
    const std::uint32_t packet = o.number;
    s.source->built(packet, w.ready.since);
    net::Delivery d = card_.begin(std::move(p), w.ready, w.ready.until);
    d.slot = net::Slot(*this, 0, flow::Credits::of(stream, o.payload.count()), 1);
    s.sent.push_back(packet);
    card_.ports()[static_cast<std::size_t>(s.port)].send(config_.source, std::move(d));
  }
}

void SendEngine::slot_released(flow::FlowClass, flow::Credits per_packet, net::Spans when, std::uint64_t packet) {
  Stream& s = streams_[static_cast<std::size_t>(per_packet.headers)];  // lent to it
  for (const net::Span& span : when) {
    const Bytes n(per_packet.data);
    if (n > Bytes::zero()) {
      buffer_.release(n, {span.tail, packet});
      arm();
    }
    --under_way_;
    s.source->left(s.sent.take_front(), {span.tail, packet});
  }
}

}  // namespace tsunagi::infiniband
