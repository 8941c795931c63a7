// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/verbs/verbs_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "config/error_at.hpp"
#include "models/libraries/reach.hpp"
#include "models/process/node_part.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

using infiniband::Completion;
using infiniband::PlacedRequest;
using infiniband::QueueMemory;
using infiniband::ReceiveRequest;
using infiniband::Service;
using infiniband::WorkRequest;

std::optional<RailName> parse_rail(const std::string& name) {
  constexpr std::string_view port = ".port";
  const std::size_t at = name.rfind(port);
  if (at == std::string::npos || at == 0 || at + port.size() + 1 != name.size()) return std::nullopt;
  const int number = name.back() - '0';
  if (number < 1 || number > 2) return std::nullopt;
  return RailName{name.substr(0, at), number};
}

VerbsNode::VerbsNode(const VerbsNodeConfig& c, Machine& m, const std::string& prefix)
    : HostProcess(m, prefix, c.core, c.memory), config_(c) {
  for (const std::string& name : c.rails) add_rail(m, prefix, *parse_rail(name));
}

void VerbsNode::add_rail(Machine& m, const std::string& prefix, const RailName& name) {
  Rail r;
  r.card = &process::node_part<infiniband::Adapter>(m, prefix, name.card, "rails");
  r.port = name.port;
  const std::string& card = r.card->name();
  if (r.port > r.card->network_ports())
    throw config::error_at("/library/rails", card + " has " + std::to_string(r.card->network_ports()) + " port");
  const net::Port& wire = r.card->ports()[static_cast<std::size_t>(r.port)];
  if (!wire.connected())
    throw config::error_at("/machine", card + ": nothing is connected to port" + std::to_string(r.port));
  if (config_.mtu > wire.max_payload())
    throw config::error_at("/library/mtu", "packets of " + to_string(config_.mtu) + ", but the wire at " + card +
                                               " carries " + to_string(wire.max_payload()));
  for (const Rail& other : rails_) r.earlier += other.card == r.card ? 1 : 0;
  if (r.earlier >= r.card->pages())
    throw config::error_at("/machine", card + " has one page of registers, which a rail needs alone");
  if (r.earlier == 0) process::claim(*r.card);
  rails_.push_back(r);
}

int VerbsNode::rails_on_card(int rail) const {
  int n = 0;
  for (const Rail& r : rails_) n += r.card == &card(rail) ? 1 : 0;
  return n;
}

void VerbsNode::close() {
  const auto refuse = [](const std::string& why) {
    if (!why.empty()) throw config::error_at("/machine", why);
  };
  keep_areas();
  const net::Port& bus = core().ports().front();
  refuse(reach_refusal(bus, user_base(), memory(), host::Core::line));
  for (const Rail& r : rails_) {
    if (r.earlier > 0) continue;
    const net::Port& slot = r.card->ports().front();
    refuse(reach_refusal(bus, r.card->doorbell(0), *r.card, host::Core::line));
    refuse(reach_refusal(slot, user_base(), memory(), slot.max_payload()));
    r.card->register_memory(user_base(), user_memory());
  }
}

process::Area VerbsNode::take_for_peers(const std::string& name, Bytes size) {
  process::Area a = areas().take(name, size);
  for (const Rail& r : rails_)
    if (r.earlier == 0) r.card->register_memory(a.base, size);
  return a;
}

Bytes VerbsNode::entry_size(int rail) const {
  const infiniband::RequestForm form = card(rail).form();
  // As many 64 B as the largest request takes (providers/mlx4: a send queue's stride).
  WorkRequest largest;
  largest.operation = infiniband::Operation::compare_and_swap;
  WorkRequest inlined;
  inlined.datagram = addresses_requests(config_.service);
  const bool write = !inlined.datagram && form.entry == Bytes::zero();
  inlined.operation = write ? infiniband::Operation::write : infiniband::Operation::send;
  inlined.inlined = true;
  inlined.length = config_.inline_limit;
  if (form.entry > Bytes::zero()) {
    if (infiniband::size_of(inlined, form) <= form.entry) return form.entry;
    const Bytes most = form.entry - infiniband::inline_offset(inlined, form);
    throw config::error_at("/library/inline_limit",
                           fmt::format("{} of data do not fit into a work request of {}: {} do",
                                       to_string(config_.inline_limit), card(rail).name(), to_string(most)));
  }
  const Bytes n = std::max(infiniband::size_of(largest, form), infiniband::size_of(inlined, form));
  return 64_B * units_of(n, 64_B);
}

CompletionEnd VerbsNode::make_completions(int entries, int rail) {
  CompletionEnd c;
  c.memory = {areas().take("completion queue", Completion::size * entries).base, entries, Completion::size};
  c.number = card(rail).make_completion_queue(c.memory);
  return c;
}

ReceiveEnd VerbsNode::make_receives(int entries, int rail) {
  return make_receives_at(areas().take("receive queue", receive_queue_size(entries, rail)).base, entries, rail);
}

ReceiveEnd VerbsNode::make_receives_at(std::uint64_t base, int entries, int rail) {
  ReceiveEnd r;
  r.memory = {base, entries, card(rail).form().receive_entry};
  r.number = card(rail).make_receive_queue(r.memory);
  return r;
}

QueueEnd VerbsNode::make_sends(int rail) {
  return make_sends_at(areas().take("send queue", send_queue_size(rail)).base, rail);
}

QueueEnd VerbsNode::make_sends_at(std::uint64_t base, int rail) const {
  QueueEnd q;
  q.rail = rail;
  q.sends = {base, config_.depth, entry_size(rail)};
  q.record = base + unsigned_of(q.sends.entry * config_.depth);
  return q;
}

void VerbsNode::connect(QueueEnd& q, const VerbsNode& peer, int peer_number, const CompletionEnd& sends,
                        const CompletionEnd& receives, const ReceiveEnd& posted, int number) {
  infiniband::QueuePairConfig c;
  c.number = number;
  c.service = config_.service;
  c.port = rail(q.rail).port;
  c.peer_lid = peer.lid(q.rail);
  c.peer = static_cast<std::uint32_t>(peer_number);
  c.mtu = config_.mtu;
  c.sends = q.sends;
  c.send_completions = sends.number;
  c.receive_completions = receives.number;
  c.receives = posted.number;
  c.retries.timeout_code = config_.timeout_code;
  c.retries.count = config_.retry_count;
  c.retries.receiver_not_ready_count = config_.rnr_retry_count;
  q.number = card(q.rail).make_queue_pair(c);
  q.peer_lid = c.peer_lid;
  q.peer = c.peer;
}

void VerbsNode::preset_receive(ReceiveEnd& r, std::uint64_t address, Bytes n) {
  const auto bytes = encode(ReceiveRequest{address, n}, r.memory.odd(r.posted));
  memory().preset(r.memory.at(r.posted++), {bytes.data(), bytes.size()});
}

bool VerbsNode::writes_into_card(const WorkRequest& w) const {
  if (config_.provider == Provider::mlx5) return true;
  // Reads, and writes of nothing, name no data to be fetched, and are written into the card, too; sends of nothing are
  // not (rdma-core, providers/mlx4, qp.c).
  const bool writes_nothing = w.operation == infiniband::Operation::write && w.length == Bytes::zero();
  return w.inlined || w.operation == infiniband::Operation::read || writes_nothing;
}

void VerbsNode::post(Fiber& f, QueueEnd& q, WorkRequest w, flow::ByteView last, flow::ByteView first) {
  if (q.posted - q.completed == static_cast<std::uint64_t>(q.sends.entries))
    throw std::runtime_error(
        fmt::format("{}: the send queue of queue pair {} is full: {} work requests are not completed",
                    card(q.rail).name(), q.number, q.sends.entries));
  const bool data = w.operation == infiniband::Operation::send || w.operation == infiniband::Operation::write;
  w.datagram = addresses_requests(config_.service);
  w.lid = q.peer_lid;
  w.queue_pair = q.peer;
  w.inlined = data && w.length > Bytes::zero() && w.length <= config_.inline_limit && in_memory(w.local);
  const infiniband::RequestForm form = card(q.rail).form();
  if (w.inlined && form.entry > Bytes::zero()) w.inlined = size_of(w, form) <= form.entry;
  PlacedRequest r{w, static_cast<std::uint16_t>(q.posted), static_cast<std::uint32_t>(q.number), q.sends.odd(q.posted)};
  std::vector<std::uint8_t> bytes = encode(r, form);
  if (w.inlined) {
    const std::vector<std::uint8_t> said = memory().bytes(w.local, w.length);
    bytes.insert(bytes.end(), said.begin(), said.end());
    std::copy(first.data, first.data + first.size, bytes.end() - static_cast<std::ptrdiff_t>(w.length.count()));
    std::copy(last.data, last.data + last.size, bytes.end() - static_cast<std::ptrdiff_t>(last.size));
  }
  // libmlx5 copies whole lines into the card, also what its queue has behind the request.
  const Bytes size = size_of(w, form);
  const bool mlx5 = config_.provider == Provider::mlx5;
  const Bytes copied = mlx5 ? host::Core::line * units_of(size, host::Core::line) : size;
  bytes.resize(static_cast<std::size_t>(copied.count()));
  // The first line says that the request is valid, and comes last: a card that reads ahead may see some lines and
  // others not yet.
  const std::uint64_t entry = q.sends.at(q.posted++);
  const flow::ByteView all{bytes.data(), static_cast<std::size_t>(size.count())};
  const auto line = static_cast<std::size_t>(host::Core::line.count());
  std::vector<host::Core::Said> stores;
  if (all.size > line) stores.push_back({entry + line, all.part(line, all.size - line)});
  stores.push_back({entry, all.part(0, std::min(line, all.size))});
  Rail& by = rail(q.rail);
  const flow::WordBytes number(static_cast<std::uint64_t>(q.number));
  const flow::WordBytes counter(q.posted % 65536);
  if (mlx5) stores.push_back({q.record, {counter.bytes, 4}});
  if (writes_into_card(w) && size <= by.card->blueflame_size()) {
    stores.push_back({by.card->blueflame(by.earlier, by.half), {bytes.data(), bytes.size()}});
    by.half = 1 - by.half;
  } else {
    stores.push_back({by.card->doorbell(by.earlier), {number.bytes, 4}});
  }
  core().execute_and_store(f, "ibv_post_send", config_.post_cycles, stores);
  // The next request goes by the other half of the register: the core's buffers are flushed between them (rdma-core,
  // providers/mlx5, qp.c: mmio_flush_writes, an SFENCE).
  if (mlx5) core().store_fence(f);
}

void VerbsNode::post_receive(Fiber& f, ReceiveEnd& r, std::uint64_t address, Bytes n) {
  const auto bytes = encode(ReceiveRequest{address, n}, r.memory.odd(r.posted));
  core().execute_and_store(f, "ibv_post_recv", config_.post_cycles,
                           {{r.memory.at(r.posted++), {bytes.data(), bytes.size()}}});
}

host::Core::Polled VerbsNode::next_entry(const CompletionEnd& c, std::uint64_t behind) const {
  const std::uint64_t entry = c.polled + behind;
  const bool odd = c.memory.odd(entry);
  return {c.memory.at(entry) + unsigned_of(Completion::size), 8_B,
          [odd](std::uint64_t said) { return infiniband::is_owned(said, odd); }};
}

Completion VerbsNode::poll(Fiber& f, CompletionEnd& c) {
  await(f, next_entry(c));
  core().execute(f, "ibv_poll_cq", config_.poll_cycles);
  const std::vector<std::uint8_t> bytes = memory().bytes(c.memory.at(c.polled++), Completion::size);
  return infiniband::decode_completion(bytes.data());
}

}  // namespace tsunagi::libraries
