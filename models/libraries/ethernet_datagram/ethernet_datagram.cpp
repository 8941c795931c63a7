// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "comm/by_rank.hpp"
#include "comm/library.hpp"
#include "config/error_at.hpp"
#include "models/libraries/catalog.hpp"
#include "models/libraries/datagram/datagram.hpp"
#include "models/libraries/ethernet_datagram/ethernet_node.hpp"
#include "models/process/core_processor.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

namespace {

struct EthernetDatagramConfig : EthernetNodeConfig {
  Loss loss = Loss::error;
};

void describe(EthernetDatagramConfig& c, config::Describer& d) {
  describe(static_cast<EthernetNodeConfig&>(c), d);
  d.choice("loss", c.loss,
           {{"error", static_cast<std::int64_t>(Loss::error), "the run ends with an error when a frame is dropped"},
            {"count", static_cast<std::int64_t>(Loss::count), "messages whose frame is dropped are counted"}},
           "what becomes of messages that a switch or a card has no room for");
}

/// In front of each message's bytes, in its frame: number of the message and its length, as a protocol has them.
constexpr Bytes envelope_size{16};

/// Messages of one frame each between cores, through the drivers of Ethernet cards: copied into the kernel and out of
/// it, told by interrupts. Nothing is recovered.
class EthernetDatagram final : public comm::Library, private comm::NonBlockingSends, private net::DropListener {
 public:
  EthernetDatagram(const EthernetDatagramConfig& c, Machine& m);
  std::string place(int rank) const override { return node(rank).core().name(); }
  int ranks() const override { return static_cast<int>(nodes_.size()); }
  std::vector<comm::Ceiling> ceilings(int from, int to, const comm::Buffer& b) const override;
  bool delivers() const override { return loss_ == Loss::error; }
  Bytes largest_message() const override { return nodes_.front().mtu() - envelope_size; }
  void check(int from, int to, const comm::Buffer& b) const override;
  void send(Fiber& f, int from, int to, const comm::Buffer& b) override { isend(f, from, to, b); }
  void recv(Fiber& f, int to, int from, const comm::Buffer& b) override;
  bool holds_back() const override { return true; }
  void expect_no_recv() override { receives_ = false; }
  Rate injection_rate(Bytes size) const override;
  comm::Processor& processor() override { return processor_; }

 private:
  struct Message {
    comm::Request request;
    int from = 0;
    int to = 0;
  };
  /// What has come to a rank from another one and was not received.
  struct Inbox {
    std::map<int, std::deque<EthernetNode::Frame>> waiting;  // by sender
    Event changed;
  };
  EthernetNode& node(int rank) { return nodes_[rank]; }
  const EthernetNode& node(int rank) const { return nodes_[rank]; }
  comm::Request isend(Fiber& f, int from, int to, const comm::Buffer& b) override;
  void take(Fiber& f, int rank, const EthernetNode::Frame& frame);
  void dropped(const flow::Packet& p) override;
  void settle(std::uint64_t number, comm::Milestone m, Time t);
  std::uint64_t user_address(int rank, Bytes offset) const { return node(rank).user_base() + unsigned_of(offset); }

  Loss loss_;
  int transmit_ring_;
  bool receives_ = true;
  comm::ByRank<EthernetNode> nodes_;
  comm::ByRank<Inbox> inboxes_;
  comm::RequestPool requests_;
  std::vector<Message> messages_;    // by number
  std::vector<std::uint64_t> free_;  // numbers
  process::CoreProcessor processor_;
};

EthernetDatagram::EthernetDatagram(const EthernetDatagramConfig& c, Machine& m)
    : loss_(c.loss),
      transmit_ring_(c.transmit_ring),
      nodes_(ethernet_nodes(c, m, "ethernet_datagram")),
      processor_(nodes_) {
  for (EthernetNode& n : nodes_) n.close();
  inboxes_ = std::vector<Inbox>(nodes_.size());
  for (int rank = 0; rank < ranks(); ++rank)
    m.simulation().spawn_service("driver of " + node(rank).card().name(), [this, rank](Fiber& f) {
      node(rank).drive(f, [this, rank](Fiber& fiber, const EthernetNode::Frame& frame) { take(fiber, rank, frame); });
    });
  for (const auto& wire : m.wires())
    if (wire->forward().wire().protocol == "ethernet")
      for (net::Channel* way : {&wire->forward(), &wire->backward()}) way->tell_drops(*this);
  add_facet<comm::NonBlockingSends>(*this);
}

void EthernetDatagram::check(int from, int to, const comm::Buffer& b) const {
  for (const auto& [rank, place] : {std::pair(from, b.place), std::pair(to, b.target)})
    if (!comm::is_host(place))
      throw config::error_at("/scenario", "library ethernet_datagram moves host memory, not \"" + place + "\" of " +
                                              node(rank).core().name());
  if (b.size > largest_message())
    throw config::error_at("/scenario", "a message of " + to_string(b.size) + " is no datagram: a frame takes up to " +
                                            to_string(largest_message()));
  for (const int rank : {from, to})
    if (b.offset + b.size > node(rank).user_memory())
      throw config::error_at("/scenario", to_string(b.offset + b.size) + " of memory, of which programs have " +
                                              to_string(node(rank).user_memory()));
}

comm::Request EthernetDatagram::isend(Fiber& f, int from, int to, const comm::Buffer& b) {
  if (free_.empty()) {
    free_.push_back(messages_.size());
    messages_.emplace_back();
  }
  const std::uint64_t number = free_.back();
  free_.pop_back();
  comm::Request request = requests_.make(f.now());
  messages_[number] = {request, from, to};
  std::array<std::uint8_t, 16> envelope{};
  flow::write_word(envelope.data(), number, 8);
  flow::write_word(envelope.data() + 8, static_cast<std::uint64_t>(b.size.count()), 4);
  envelope[12] = 1;  // kind: so that its last word says something
  step.sent(b.size);
  step.copied(comm::Copier::core, b.size);
  step(f, from, "send", [&] {
    node(from).send(f, node(to).card().place(), {envelope.data(), envelope.size()}, user_address(from, b.offset),
                    b.size);
  });
  request.reach(comm::Milestone::started, f.now());
  request.reach(comm::Milestone::completed, f.now());  // it was copied
  return request;
}

void EthernetDatagram::take(Fiber& f, int rank, const EthernetNode::Frame& frame) {
  const auto said = node(rank).memory().bytes(frame.payload_at, envelope_size);
  settle(flow::read_word(said.data(), 8), comm::Milestone::delivered, f.now());
  if (!receives_) return node(rank).give_back(f, frame.buffer);
  Inbox& inbox = inboxes_[rank];
  inbox.waiting[static_cast<int>(frame.from)].push_back(frame);
  inbox.changed.notify();
}

void EthernetDatagram::recv(Fiber& f, int to, int from, const comm::Buffer& b) {
  if (!receives_) throw std::logic_error("no recv was expected");
  std::deque<EthernetNode::Frame>& there = inboxes_[to].waiting[from];
  const bool waits = there.empty();
  while (there.empty()) f.wait(inboxes_[to].changed, "a datagram of rank " + std::to_string(from));
  const EthernetNode::Frame frame = there.front();
  there.pop_front();
  if (waits) node(to).core().woken_by(f, frame.step);
  step(f, to, "receive", [&] {
    const Bytes n = std::min(b.size, frame.payload - envelope_size);
    const EthernetNode& me = node(to);
    if (n > Bytes::zero())
      me.core().copy(f, me.memory(), user_address(to, b.offset), frame.payload_at + unsigned_of(envelope_size), n);
    step.copied(comm::Copier::core, n);
    node(to).give_back(f, frame.buffer);
  });
}

void EthernetDatagram::dropped(const flow::Packet& p) {
  const std::uint64_t number = p.contents.word(Bytes::zero());
  const Message& m = messages_[number];
  if (loss_ == Loss::error)
    throw std::runtime_error("a frame of rank " + std::to_string(m.from) + " to rank " + std::to_string(m.to) +
                             " was dropped, and library ethernet_datagram recovers nothing; \"loss\": \"count\" in the "
                             "library counts such messages");
  settle(number, comm::Milestone::lost, node(m.to).card().simulation().now());
}

void EthernetDatagram::settle(std::uint64_t number, comm::Milestone m, Time t) {
  messages_[number].request.reach(m, t);
  messages_[number].request = {};
  free_.push_back(number);
}

Rate EthernetDatagram::injection_rate(Bytes size) const {
  const net::WireSpec& wire = nodes_.front().card().ports()[1].channel().wire();
  return wire.rate.scaled(size.count(), wire.framing->size({}, envelope_size + size).total().count());
}

std::vector<comm::Ceiling> EthernetDatagram::ceilings(int from, int to, const comm::Buffer& /*b*/) const {
  if (from == to) return {};
  // What is sent at once waits in the driver's buffers.
  return {{"Ethernet payload, " + node(from).card().name(), injection_rate(largest_message()),
           largest_message() * transmit_ring_}};
}

}  // namespace

LibraryKind ethernet_datagram_library() {
  return library<EthernetDatagram, EthernetDatagramConfig>(
      "ethernet_datagram", "messages of a frame each over Ethernet cards, through the kernel; nothing is recovered");
}

}  // namespace tsunagi::libraries
