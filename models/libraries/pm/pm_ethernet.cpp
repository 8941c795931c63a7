// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/pm/pm_ethernet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "config/error_at.hpp"
#include "models/ethernet/frame.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

using Kind = PmPacket::Kind;

namespace {

constexpr const char* no_buffer =
    ", which has no free receive buffer: its program does not take what has come (\"receive_memory\")";

}  // namespace

void describe(PmEthernetConfig& c, config::Describer& d) {
  using namespace config;
  describe(static_cast<EthernetNodeConfig&>(c), d);
  describe(static_cast<PmBuffersConfig&>(c), d);
  d.field("window", c.window, "packets to a peer that are sent ahead of its acknowledgement", within(1, 1024));
  d.field("acknowledge_each", c.acknowledge_each, "packets of a peer that one acknowledgement stands for",
          within(1, 1024));
  d.field("acknowledge_delay", c.acknowledge_delay, "until fewer are acknowledged if nothing else goes to the peer",
          within(1_us, 1_s));
  d.field("retransmission", c.retransmission, "packets are sent again when the peer has acknowledged none for so long",
          within(1_us, 10_s));
  d.field("retries", c.retries, "times that this is done before the run ends with an error", within(1, 1'000'000));
  d.field(
      "timer_jitter", c.timer_jitter,
      "a kernel's timers are late by up to so much, at random: without it hosts that send again at the same time keep "
      "step, and the same frames may find the network full for ever",
      within(0_us, 100_ms));
  d.require(c.acknowledge_each <= c.window,
            "\"acknowledge_each\" is more than a \"window\": its last packets would wait");
  d.require(
      c.acknowledge_delay + c.timer_jitter < c.retransmission,
      "\"acknowledge_delay\" and \"timer_jitter\" together are not shorter than \"retransmission\": what has come "
      "would be sent again");
}

PmEthernet::PmEthernet(const PmEthernetConfig& c, Machine& m)
    : config_(c), nodes_(ethernet_nodes(c, m, "pm_ethernet")), ranks_(nodes_.size()), processor_(nodes_) {
  for (int rank = 0; rank < ranks(); ++rank) {
    EthernetNode& me = nodes_[rank];
    Ends& e = ranks_[rank];
    if (c.longest + PmPacket::header > me.mtu())
      throw config::error_at("/library/longest",
                             fmt::format("a message of {} and a header of {} fit into no packet of {}",
                                         to_string(c.longest), to_string(PmPacket::header), to_string(me.mtu())));
    e.outgoing = me.take("PM's send buffers", c.send_memory);
    e.incoming = me.take("PM's receive buffers", c.receive_memory);
    e.events = me.take("PM's events", 64_B);
    for (auto i = static_cast<int>(c.receive_memory / c.longest); i > 0; --i) e.free.push_back(i - 1);
    e.peers.resize(nodes_.size());
    me.close();
    sim::Simulation& s = m.simulation();
    s.spawn_service("driver of " + me.card().name(), [this, rank](Fiber& f) {
      nodes_[rank].drive(f, [this, rank](Fiber& fiber, const EthernetNode::Frame& frame) { took(fiber, rank, frame); });
    });
    spawn_timer(m, rank, "retransmission of " + me.card().name(), &Ends::again, &Peer::again, &PmEthernet::send_again);
    spawn_timer(m, rank, "acknowledgements of " + me.card().name(), &Ends::owed, &Peer::owed, &PmEthernet::acknowledge);
  }
}

PmEthernet::Peer& PmEthernet::peer(int rank, int other) {
  std::unique_ptr<Peer>& p = ranks_[rank].peers[other];
  if (p == nullptr) p = std::make_unique<Peer>(config_.window);
  return *p;
}

bool PmEthernet::room(int rank, int other) const {
  const std::unique_ptr<Peer>& p = ranks_[rank].peers[other];
  return p == nullptr || p->waiting.size() < static_cast<std::size_t>(config_.window);
}

void PmEthernet::send(Fiber& f, int rank, int other, std::uint64_t address, Bytes n, int buffer) {
  Operation o;
  o.what.kind = Kind::message;
  o.local = address;
  o.size = n;
  o.number = buffer;
  post(f, rank, other, o);
}

void PmEthernet::transfer(Fiber& f, int rank, int other, Transfer t, std::uint64_t local, std::uint64_t remote, Bytes n,
                          int number) {
  Operation o;
  o.number = number;
  o.what.kind = t == Transfer::write ? Kind::write : Kind::read;
  o.what.address = remote;
  o.local = local;
  o.size = n;
  if (t == Transfer::read) {
    o.what.answer = local;
    o.what.asked = static_cast<std::uint32_t>(n.count());
    o.size = Bytes::zero();
  }
  post(f, rank, other, o);
}

void PmEthernet::post(Fiber& f, int rank, int other, const Operation& o) {
  peer(rank, other).waiting.push_back(o);
  pump(f, rank, other);
}

void PmEthernet::pump(Fiber& f, int rank, int other) {
  Peer& to = peer(rank, other);
  for (;;) {
    if (protocols::behind(to.cursor, to.sent.oldest()) > 0) to.cursor = to.sent.oldest();
    if (to.cursor == to.sent.next() && !make_packet(f, rank, other)) return;
    const Packet& p = to.under_way[to.cursor++ - to.sent.oldest()];
    // Who waits in there lets others go on from the cursor: packets keep their order.
    hand_on(f, rank, {other, p.what, p.local});
  }
}

bool PmEthernet::make_packet(Fiber& f, int rank, int other) {
  Peer& to = peer(rank, other);
  if (to.waiting.empty() || !to.sent.open()) return false;
  Operation& o = to.waiting.front();
  Packet p;
  p.what = o.what;
  const Bytes n = std::min(nodes_[rank].mtu() - PmPacket::header, o.size - o.cut);
  p.what.size = static_cast<std::uint16_t>(n.count());
  if (o.what.kind != Kind::read) p.what.address += unsigned_of(o.cut);
  p.local = o.local + unsigned_of(o.cut);
  o.cut += n;
  p.what.last = o.cut == o.size;
  p.what.asks = p.what.last && o.what.kind == Kind::write;
  p.what.number = to.sent.take();
  p.number = o.number;
  if (p.what.last) to.waiting.pop_front();
  to.under_way.push_back(p);
  if (to.under_way.size() == 1) set_retransmission(f, rank, other);
  return true;
}

void PmEthernet::hand_on(Fiber& f, int rank, const Frame& frame) {
  Ends& e = ranks_[rank];
  const auto is_packet = [](const Frame& each) { return each.what.kind != Kind::acknowledgement ? 1 : 0; };
  Peer& of = peer(rank, frame.peer);
  ++of.at_card;
  of.packets_at_card += is_packet(frame);
  e.frames.push_back(frame);
  if (e.sending) return;
  e.sending = true;
  while (!e.frames.empty()) {
    Frame next = e.frames.take_front();
    Peer& to = peer(rank, next.peer);
    --to.at_card;
    to.packets_at_card -= is_packet(next);
    next.what.expected = to.came.expected();
    to.came.told();
    set_alarm(rank, next.peer, &Ends::owed, &Peer::owed, Time::max());
    const auto head = next.what.encode();
    nodes_[rank].send(f, nodes_[next.peer].card().place(), {head.data(), head.size()}, next.local,
                      Bytes(next.what.size));
  }
  e.sending = false;
}

void PmEthernet::acknowledge(Fiber& f, int rank, int other) {
  if (peer(rank, other).at_card == 0) hand_on(f, rank, {other, {}, 0});
}

void PmEthernet::took(Fiber& f, int rank, const EthernetNode::Frame& frame) {
  const int other = static_cast<int>(frame.from);
  const PmPacket p = PmPacket::decode(nodes_[rank].memory().bytes(frame.payload_at, PmPacket::header).data());
  Peer& from = peer(rank, other);
  acknowledged(f, rank, other, p.expected);
  if (p.kind != Kind::acknowledgement) {
    // What finds no buffer has not come: it is sent again.
    const bool next = p.number == from.came.expected();
    if (next && !take_data(f, rank, other, p, frame.payload_at + unsigned_of(PmPacket::header)))
      return nodes_[rank].give_back(f, frame.buffer);
    const auto came = from.came.came(p.number);
    if (came == protocols::GoBackNReceiver::Came::again || p.asks || from.came.owed() >= config_.acknowledge_each)
      acknowledge(f, rank, other);
    else if (came == protocols::GoBackNReceiver::Came::next && from.came.owed() == 1)
      set_alarm(rank, other, &Ends::owed, &Peer::owed, f.now() + config_.acknowledge_delay);
  }
  nodes_[rank].give_back(f, frame.buffer);
}

bool PmEthernet::take_data(Fiber& f, int rank, int other, const PmPacket& p, std::uint64_t data) {
  Ends& e = ranks_[rank];
  const EthernetNode& me = nodes_[rank];
  const Bytes n(p.size);
  std::uint64_t to = p.address;
  int buffer = -1;
  if (p.kind == Kind::message) {
    if (e.free.empty()) return false;
    buffer = e.free.back();
    e.free.pop_back();
    to = e.incoming.base + unsigned_of(config_.longest) * static_cast<std::uint64_t>(buffer);
  }
  if (n > Bytes::zero()) me.core().copy(f, me.memory(), to, data, n);
  if (p.kind == Kind::message) {
    e.received.push_back({other, n, to, buffer});
    tell(f, rank);
  } else if (p.kind == Kind::read) {
    Operation answer;
    answer.what.kind = Kind::answer;
    answer.what.address = p.answer;
    answer.local = p.address;
    answer.size = Bytes(static_cast<std::int64_t>(p.asked));
    post(f, rank, other, answer);
  } else if (p.kind == Kind::answer && p.last) {
    e.done.push_back({Done::What::read});
    tell(f, rank);
  }
  return true;
}

void PmEthernet::acknowledged(Fiber& f, int rank, int other, std::uint32_t expected) {
  Peer& to = peer(rank, other);
  const int n = to.sent.acknowledged(expected);
  if (n == 0) return;
  to.retries = 0;
  bool some = false;
  for (int i = 0; i < n; ++i) {
    const Packet p = to.under_way.take_front();
    if (!p.what.last || (p.what.kind != Kind::message && p.what.kind != Kind::write)) continue;
    ranks_[rank].done.push_back({p.what.kind == Kind::write ? Done::What::write : Done::What::message, p.number});
    some = true;
  }
  set_retransmission(f, rank, other);
  if (some) tell(f, rank);
  pump(f, rank, other);
}

/// A program that polls sees it.
void PmEthernet::tell(Fiber& f, int rank) {
  Ends& e = ranks_[rank];
  e.told = e.received.size() + e.done.size() + e.taken;
  nodes_[rank].core().store(f, e.events.base, 8_B, e.told, 0);
}

void PmEthernet::send_again(Fiber& f, int rank, int other) {
  Peer& to = peer(rank, other);
  if (to.packets_at_card > 0) return set_retransmission(f, rank, other);
  if (++to.retries > config_.retries)
    throw std::runtime_error(fmt::format("rank {}: nobody acknowledges what goes to rank {}, {} retries of {}{}", rank,
                                         other, config_.retries, to_string(config_.retransmission),
                                         ranks_[other].free.empty() ? no_buffer : ""));
  nodes_[rank].core().woken_by_timer(f, to.again_step, to.again_since, "retransmission timer");
  set_retransmission(f, rank, other);
  sent_again_ += protocols::behind(to.sent.oldest(), to.cursor);
  to.cursor = to.sent.oldest();
  pump(f, rank, other);
}

void PmEthernet::set_retransmission(Fiber& f, int rank, int other) {
  Peer& to = peer(rank, other);
  to.again_since = f.now();
  to.again_step = nodes_[rank].core().last_step(f);
  set_alarm(rank, other, &Ends::again, &Peer::again,
            to.under_way.empty() ? Time::max() : f.now() + config_.retransmission);
}

void PmEthernet::set_alarm(int rank, int other, Alarms Ends::*all, Time Peer::*when, Time at) {
  Alarms& alarms = ranks_[rank].*all;
  Time& of = peer(rank, other).*when;
  if (of != Time::max()) alarms.all.erase({of, other});
  of = at;
  if (at == Time::max()) return;
  const bool first = alarms.all.empty();
  alarms.all.insert({at, other});
  if (first) alarms.first.notify();
}

void PmEthernet::spawn_timer(Machine& m, int rank, const std::string& name, Alarms Ends::*all, Time Peer::*when,
                             Action what) {
  const stats::RandomStream late(m.seed(), name);
  m.simulation().spawn_service(name, [=](Fiber& f) { watch(f, rank, late, all, when, what); });
}

void PmEthernet::watch(Fiber& f, int rank, stats::RandomStream late, Alarms Ends::*all, Time Peer::*when, Action what) {
  Alarms& alarms = ranks_[rank].*all;
  host::Core& core = nodes_[rank].core();
  for (;;) {
    core.leave_interrupt(f);
    if (alarms.all.empty()) {
      f.wait(alarms.first, "a packet");
      continue;
    }
    // All alarms are set equally long before: none that is set meanwhile is earlier.
    const auto [at, other] = *alarms.all.begin();
    if (at > f.now()) {
      f.wait_until(at + Time::from_fs(late.below(config_.timer_jitter.fs() + 1)));
      continue;
    }
    core.enter_interrupt(f);
    set_alarm(rank, other, all, when, Time::max());
    (this->*what)(f, rank, other);
  }
}

std::optional<PmNetwork::Done> PmEthernet::take_done(Fiber& /*f*/, int rank) {
  Ends& e = ranks_[rank];
  if (e.done.empty()) return std::nullopt;
  ++e.taken;
  return e.done.take_front();
}

std::optional<PmNetwork::Received> PmEthernet::take_received(Fiber& /*f*/, int rank) {
  Ends& e = ranks_[rank];
  if (e.received.empty()) return std::nullopt;
  ++e.taken;
  return e.received.take_front();
}

void PmEthernet::release(Fiber& f, int rank, int buffer) {
  nodes_[rank].core().execute(f, "give the buffer back", config_.buffer_cycles);
  ranks_[rank].free.push_back(buffer);
}

void PmEthernet::wait(Fiber& f, int rank, Time deadline) {
  const Ends& e = ranks_[rank];
  const EthernetNode& me = nodes_[rank];
  const std::uint64_t taken = e.taken;
  me.core().poll_any(f, me.memory(), {{e.events.base + 8, 8_B, [taken](std::uint64_t said) { return said > taken; }}},
                     deadline);
}

std::vector<comm::Ceiling> PmEthernet::ceilings(int from, int /*to*/) const {
  const net::WireSpec& wire = nodes_[from].card().ports()[1].channel().wire();
  const Bytes most = nodes_[from].mtu();
  return {{"PM's data on Ethernet, " + nodes_[from].card().name(),
           wire.rate.scaled((most - PmPacket::header).count(), wire.framing->size({}, most).total().count())}};
}

std::string PmEthernet::advice() const {
  return sent_again_ == 0 ? "" : fmt::format("{} packets were sent again", sent_again_);
}

}  // namespace tsunagi::libraries
