// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/verbs/verbs_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "config/error_at.hpp"
#include "models/libraries/reach.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

using infiniband::Completion;
using infiniband::PlacedRequest;
using infiniband::QueueMemory;
using infiniband::ReceiveRequest;
using infiniband::WorkRequest;

void describe(VerbsConfig& c, config::Describer& d) {
  using namespace config;
  constexpr std::int64_t most = 1'000'000;
  d.field("core", c.core, "the core of a node that runs its rank");
  d.field("memory", c.memory, "the memory with its buffers and queues");
  d.field("hca", c.hca, "the host channel adapter");
  d.field("port", c.port, "its port", within(1, 2));
  d.field("mtu", c.mtu, "of the path", one_of({256, 512, 1024, 2048, 4096}));
  d.field("inline_limit", c.inline_limit, "messages up to that are written into work requests", within(0_B, 900_B));
  d.field("depth", c.depth, "work requests of a send queue, and posted receives", within(1, 16384));
  d.field("post_cycles", c.post_cycles, "core cycles of ibv_post_send or ibv_post_recv, beside the stores",
          within(std::int64_t{0}, most), ideal(std::int64_t{0}));
  d.field("poll_cycles", c.poll_cycles, "core cycles of ibv_poll_cq when it finds an entry",
          within(std::int64_t{0}, most), ideal(std::int64_t{0}));
  d.field("timeout_code", c.timeout_code, "retransmission after 4.096 us x 2^code; 0: never", within(0, 31));
  d.field("retry_count", c.retry_count, "retransmissions before a connection fails", within(0, 7));
  d.field("rnr_retry_count", c.rnr_retry_count, "the same after \"receiver not ready\"; 7: for ever", within(0, 7));
  d.field("eager_limit", c.eager_limit, "longest two-sided message that is copied", within(0_B, 1_MiB));
  d.field("slots", c.slots, "receives posted for those", within(2, 65536));
  d.field("unexpected", c.unexpected, "messages that are kept because nobody has posted a receive",
          within(1, 1'000'000));
}

namespace {

/// The device of a node: what its card's name begins with, and that name.
template <class D>
D& part(Machine& m, const infiniband::Hca& card, const std::string& card_name, const std::string& name) {
  const std::string full = card.name();
  const bool fits = full.size() >= card_name.size() && full.substr(full.size() - card_name.size()) == card_name;
  const std::string prefix =
      fits ? full.substr(0, full.size() - card_name.size()) : full.substr(0, full.rfind('.') + 1);
  return m.get<D>(prefix + name);
}

}  // namespace

VerbsNode::VerbsNode(const VerbsConfig& c, Machine& m, infiniband::Hca& card)
    : config_(c),
      core_(&part<host::Core>(m, card, c.hca, c.core)),
      memory_(&part<host::Memory>(m, card, c.hca, c.memory)),
      card_(&card),
      plan_(unsigned_of(memory_->config().base), unsigned_of(memory_->config().base + memory_->config().size)) {
  if (const Bytes wire = card.ports()[static_cast<std::size_t>(c.port)].max_payload(); c.mtu > wire)
    throw config::error_at("/library/mtu", "packets of " + to_string(c.mtu) + ", but the wire at " + card.name() +
                                               " carries " + to_string(wire));
  user_base_ = unsigned_of(memory_->config().base + host::buffers_from(memory_->config().size));
}

void VerbsNode::close() {
  const auto refuse = [](const std::string& why) {
    if (!why.empty()) throw config::error_at("/machine", why);
  };
  if (const std::string why = plan_.refusal(host::buffers_from(memory_->config().size) + 1_B); !why.empty())
    refuse(memory_->name() + " " + why);
  const net::Port& bus = core_->ports().front();
  const net::Port& slot = card_->ports().front();
  refuse(reach_refusal(bus, user_base_, *memory_, host::Core::line));
  refuse(reach_refusal(bus, card_->doorbell(0), *card_, host::Core::line));
  refuse(reach_refusal(slot, user_base_, *memory_, slot.max_payload()));
  card_->register_memory(user_base_, user_memory());
}

Bytes VerbsNode::entry_size() const {
  // As many 64 B as the largest request takes (providers/mlx4: a send queue's stride).
  WorkRequest largest;
  largest.operation = infiniband::Operation::compare_and_swap;
  WorkRequest inlined;
  inlined.operation = infiniband::Operation::write;
  inlined.inlined = true;
  inlined.length = config_.inline_limit;
  const Bytes n = std::max(infiniband::size_of(largest), infiniband::size_of(inlined));
  return 64_B * units_of(n, 64_B);
}

CompletionEnd VerbsNode::make_completions(int entries) {
  CompletionEnd c;
  c.memory = {plan_.take("completion queue", Completion::size * entries).base, entries, Completion::size};
  c.number = card_->make_completion_queue(c.memory);
  return c;
}

ReceiveEnd VerbsNode::make_receives(int entries) {
  ReceiveEnd r;
  r.memory = {plan_.take("receive queue", ReceiveRequest::size * entries).base, entries, ReceiveRequest::size};
  r.number = card_->make_receive_queue(r.memory);
  return r;
}

QueueEnd VerbsNode::make_sends() {
  QueueEnd q;
  q.sends = {plan_.take("send queue", entry_size() * config_.depth).base, config_.depth, entry_size()};
  return q;
}

void VerbsNode::connect(QueueEnd& q, const VerbsNode& peer, int peer_number, const CompletionEnd& sends,
                        const CompletionEnd& receives, const ReceiveEnd& posted) {
  infiniband::QueuePairConfig c;
  c.port = config_.port;
  c.peer_lid = peer.card_->lid(config_.port);
  c.peer = static_cast<std::uint32_t>(peer_number);
  c.mtu = config_.mtu;
  c.sends = q.sends;
  c.send_completions = sends.number;
  c.receive_completions = receives.number;
  c.receives = posted.number;
  c.retries.timeout_code = config_.timeout_code;
  c.retries.count = config_.retry_count;
  c.retries.receiver_not_ready_count = config_.rnr_retry_count;
  q.number = card_->make_queue_pair(c);
}

void VerbsNode::preset_receive(ReceiveEnd& r, std::uint64_t address, Bytes n) {
  const auto bytes = encode(ReceiveRequest{address, n}, r.memory.odd(r.posted));
  memory_->preset(r.memory.at(r.posted++), {bytes.data(), bytes.size()});
}

void VerbsNode::post(comm::Fiber& f, QueueEnd& q, WorkRequest w, flow::ByteView last) {
  if (q.posted - q.completed == static_cast<std::uint64_t>(q.sends.entries))
    throw std::runtime_error(
        fmt::format("{}: the send queue of queue pair {} is full: {} work requests are not completed", card_->name(),
                    q.number, q.sends.entries));
  const bool data = w.operation == infiniband::Operation::send || w.operation == infiniband::Operation::write;
  w.inlined = data && w.length > Bytes::zero() && w.length <= config_.inline_limit;
  PlacedRequest r{w, static_cast<std::uint16_t>(q.posted), static_cast<std::uint32_t>(q.number), q.sends.odd(q.posted)};
  std::vector<std::uint8_t> bytes = encode(r);
  if (w.inlined) {
    const std::vector<std::uint8_t> said = memory_->bytes(w.local, w.length);
    bytes.insert(bytes.end(), said.begin(), said.end());
    std::copy(last.data, last.data + last.size, bytes.end() - static_cast<std::ptrdiff_t>(last.size));
  }
  bytes.resize(static_cast<std::size_t>(size_of(w).count()));
  core_->execute(f, "ibv_post_send", config_.post_cycles);
  core_->store(f, q.sends.at(q.posted++), flow::ByteView{bytes.data(), bytes.size()});
  if (w.inlined && size_of(w) <= card_->config().blueflame) {
    core_->store(f, card_->blueflame(0, half_), flow::ByteView{bytes.data(), bytes.size()});
    half_ = 1 - half_;
  } else {
    core_->store(f, card_->doorbell(0), 4_B, static_cast<std::uint64_t>(q.number), 0);
  }
}

void VerbsNode::post_receive(comm::Fiber& f, ReceiveEnd& r, std::uint64_t address, Bytes n) {
  const auto bytes = encode(ReceiveRequest{address, n}, r.memory.odd(r.posted));
  core_->execute(f, "ibv_post_recv", config_.post_cycles);
  core_->store(f, r.memory.at(r.posted++), flow::ByteView{bytes.data(), bytes.size()});
}

host::Core::Polled VerbsNode::next_entry(const CompletionEnd& c) const {
  const bool odd = c.memory.odd(c.polled);
  return {c.memory.at(c.polled) + unsigned_of(Completion::size), 8_B,
          [odd](std::uint64_t said) { return infiniband::is_owned(said, odd); }};
}

bool VerbsNode::any(const CompletionEnd& c) const {
  const host::Core::Polled next = next_entry(c);
  return next.until(memory_->word_ending_at(next.end, next.width).value);
}

Completion VerbsNode::poll(comm::Fiber& f, CompletionEnd& c) {
  const host::Core::Polled next = next_entry(c);
  core_->poll(f, *memory_, next.end, next.width, next.until);
  core_->execute(f, "ibv_poll_cq", config_.poll_cycles);
  const std::vector<std::uint8_t> bytes = memory_->bytes(c.memory.at(c.polled++), Completion::size);
  return infiniband::decode_completion(bytes.data());
}

}  // namespace tsunagi::libraries
