// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/myrinet/lanai_node.hpp"

#include <map>
#include <utility>
#include <vector>

#include "config/error_at.hpp"
#include "models/libraries/reach.hpp"
#include "models/process/node_part.hpp"

namespace tsunagi::libraries {

using myrinet::ReceiveBuffer;
using myrinet::ReceiveEvent;
using myrinet::SendDescriptor;
using myrinet::SendQueue;

namespace {

constexpr Bytes line = host::Core::line;

}  // namespace

void describe(LanaiNodeConfig& c, config::Describer& d) {
  using namespace config;
  d.field("core", c.core, "core of each node that runs its process");
  d.field("memory", c.memory, "memory of each node");
  d.field("card", c.card, "LANai card of each node");
  d.field("receive_buffers", c.receive_buffers, "that the card has at a time, a packet each, for all peers",
          within(1, 65'536));
  d.field("buffers", c.buffers, "of host memory, a packet each: those that the card has, and what has come",
          within(1, 1'000'000));
  d.field("post_cycles", c.post_cycles, "instructions of a send or a receive buffer, its stores apart",
          within(std::int64_t{0}, std::int64_t{100'000}), ideal(std::int64_t{0}));
  d.field("poll_cycles", c.poll_cycles, "instructions of an event that is taken",
          within(std::int64_t{0}, std::int64_t{100'000}), ideal(std::int64_t{0}));
  d.require(c.receive_buffers <= c.buffers,
            "there are fewer \"buffers\" than the card is to have (\"receive_buffers\")");
}

LanaiNode::LanaiNode(const LanaiNodeConfig& c, Machine& m, const std::string& prefix)
    : HostProcess(m, prefix, c.core, c.memory),
      config_(c),
      card_(&process::node_part<myrinet::LanaiCard>(m, prefix, c.card, "card")) {
  if (!card_->network_port().connected())
    throw config::error_at("/machine", card_->name() + ": nothing is connected to \"net\"");
  process::claim(*card_);
  buffers_ = take("receive buffers", largest_packet() * c.buffers);
  events_ = take("events", ReceiveEvent::size * c.receive_buffers);
  words_ = take("sends", line + SendDescriptor::size * card_->config().send_entries);
  card_->set_events(events_.base, c.receive_buffers);
  card_->set_sends_done(words_.base);
  card_->set_send_ring(words_.base + unsigned_of(line));
}

void LanaiNode::close() {
  const auto refuse = [](const std::string& why) {
    if (!why.empty()) throw config::error_at("/machine", why);
  };
  keep_areas();
  const net::Port& bus = core().ports().front();
  const net::Port& slot = card_->ports().front();
  refuse(reach_refusal(bus, user_base(), memory(), line));
  refuse(reach_refusal(bus, card_->receive_entry(), *card_, line));
  refuse(reach_refusal(slot, user_base(), memory(), slot.max_payload()));
  for (given_ = 0; given_ < config_.receive_buffers; ++given_) card_->preset_receive(receive_buffer(given_));
  for (int i = config_.buffers; i > given_; --i) free_.push_back(i - 1);
}

host::Core::Polled LanaiNode::sent_word(std::uint32_t number) const {
  return {words_.base + 8, 8_B, [number](std::uint64_t said) { return said >= number; }};
}

std::uint32_t LanaiNode::post(Fiber& f, int to, std::uint64_t address, Bytes n, std::uint32_t type, bool notify) {
  SendDescriptor d;
  d.number = ++posted_;
  d.address = address;
  d.length = static_cast<std::uint32_t>(n.count());
  d.type = type;
  d.destination = static_cast<std::uint16_t>(to);
  // So that nobody waits for room without being told of it.
  d.notify = notify || d.number % ((entries() + 1) / 2) == 0;
  const auto bytes = d.encode();
  const flow::ByteView said{bytes.data(), bytes.size()};
  std::vector<host::Core::Said> stores;
  const flow::WordBytes number(d.number);
  if (card_->config().send_queue == SendQueue::programmed_io) {
    stores.push_back({card_->send_entry(d.number), said});
  } else {
    const std::uint32_t at = (d.number - 1) % entries();
    stores.push_back({words_.base + unsigned_of(line) + at * unsigned_of(SendDescriptor::size), said});
    stores.push_back({card_->doorbell(), {number.bytes, 4}});
  }
  core().execute_and_store(f, "post a send", config_.post_cycles, stores);
  return d.number;
}

void LanaiNode::await_sent(Fiber& f, std::uint32_t number) const {
  core().poll_any(f, memory(), {sent_word(number), next_event()});
}

host::Core::Polled LanaiNode::next_event() const {
  const std::uint32_t number = seen_ + 1;
  const std::uint64_t at =
      events_.base + unsigned_of(ReceiveEvent::size) * (seen_ % static_cast<unsigned>(config_.receive_buffers));
  return {at + unsigned_of(ReceiveEvent::size), 4_B, [number](std::uint64_t said) { return said == number; }};
}

LanaiNode::Came LanaiNode::next(Fiber& f) {
  const host::Core::Polled word = next_event();
  await(f, word);
  core().execute(f, "take an event", config_.poll_cycles);
  const std::vector<std::uint8_t> bytes =
      memory().bytes(word.end - unsigned_of(ReceiveEvent::size), ReceiveEvent::size);
  ++seen_;
  --given_;
  if (!free_.empty()) {
    const int fresh = free_.back();
    free_.pop_back();
    give(f, fresh);
  }
  const ReceiveEvent e = ReceiveEvent::decode(bytes.data());
  return {Bytes(e.length), e.type, static_cast<int>(e.handle), buffer_at(static_cast<int>(e.handle))};
}

void LanaiNode::give(Fiber& f, int buffer) {
  const auto bytes = receive_buffer(buffer).encode();
  ++given_;
  core().execute_and_store(f, "post a receive buffer", config_.post_cycles,
                           {{card_->receive_entry(), {bytes.data(), bytes.size()}}});
}

void LanaiNode::release(Fiber& f, int buffer) {
  if (given_ < config_.receive_buffers) return give(f, buffer);
  free_.push_back(buffer);
}

std::vector<std::string> lanai_prefixes(const std::string& called, Machine& m, const std::string& library) {
  std::map<int, std::string> prefixes;
  const myrinet::LanaiCard* first = nullptr;
  for (const myrinet::LanaiCard* card : m.all<myrinet::LanaiCard>()) {
    const std::string& full = card->name();
    const std::string end = "." + called;
    const bool alone = full == called;
    if (!alone && (full.size() < end.size() || full.compare(full.size() - end.size(), end.size(), end) != 0)) continue;
    if (first != nullptr && card->network() != first->network())
      throw config::error_at(
          "/machine", full + " and " + first->name() + " are not in one network: library " + library + " runs on one");
    first = card;
    prefixes.emplace(card->place(), full.substr(0, full.size() - called.size()));
  }
  if (prefixes.size() < 2)
    throw config::error_at("/library", "library " + library +
                                           " needs two nodes with cards of kind \"lanai_card\" that "
                                           "are called \"" +
                                           called + "\"");
  std::vector<std::string> out;
  out.reserve(prefixes.size());
  for (auto& [place, prefix] : prefixes) {
    (void)place;
    out.push_back(std::move(prefix));
  }
  return out;
}

comm::ByRank<LanaiNode> lanai_nodes(const LanaiNodeConfig& c, Machine& m, const std::string& library) {
  comm::ByRank<LanaiNode> out;
  for (const std::string& prefix : lanai_prefixes(c.card, m, library)) {
    out.emplace_back(c, m, prefix);
    if (out[static_cast<int>(out.size()) - 1].card().reliable() != nullptr)
      throw config::error_at("/machine", out.front().card().name() + " has firmware that is reliable (\"firmware\"): " +
                                             "library " + library + " moves packets");
  }
  return out;
}

}  // namespace tsunagi::libraries
