// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/ethernet_datagram/ethernet_node.hpp"

#include <array>
#include <map>
#include <utility>

#include "config/error_at.hpp"
#include "models/libraries/reach.hpp"
#include "models/process/node_part.hpp"

namespace tsunagi::libraries {

using ethernet::Card;
using ethernet::Descriptor;
using ethernet::frame_header;

void describe(EthernetNodeConfig& c, config::Describer& d) {
  using namespace config;
  constexpr std::int64_t most = 10'000'000;
  constexpr int most_descriptors = 4096;
  d.field("core", c.core, "the core of a node that runs its rank and takes its interrupts");
  d.field("memory", c.memory, "the memory with its rings and buffers");
  d.field("card", c.card, "the Ethernet card");
  d.field("transmit_ring", c.transmit_ring, "transmit descriptors; one is always free", within(2, most_descriptors));
  d.field("receive_ring", c.receive_ring, "receive descriptors; one is always free", within(2, most_descriptors));
  d.field("receive_buffers", c.receive_buffers,
          "buffers for frames, in receive descriptors or kept until a program takes what is in them", within(2, 65536));
  d.field("send_cycles", c.send_cycles, "core cycles of a send: system call, protocol, driver; beside copy and stores",
          within(std::int64_t{0}, most), ideal(std::int64_t{0}));
  d.field("interrupt_cycles", c.interrupt_cycles, "core cycles from an interrupt to its handler, and back",
          within(std::int64_t{0}, most), ideal(std::int64_t{0}));
  d.field("frame_cycles", c.frame_cycles, "core cycles a frame that the handler takes: driver, protocol, wake-up",
          within(std::int64_t{0}, most), ideal(std::int64_t{0}));
  d.require(c.receive_buffers >= c.receive_ring, "\"receive_buffers\" are fewer than the receive ring has descriptors");
}

EthernetNode::EthernetNode(const EthernetNodeConfig& c, Machine& m, const std::string& prefix)
    : HostProcess(m, prefix, c.core, c.memory),
      config_(c),
      card_(&process::node_part<Card>(m, prefix, c.card, "card")),
      transmit_written_(static_cast<std::size_t>(c.transmit_ring)),
      slots_(static_cast<std::size_t>(c.receive_ring)) {
  process::claim(*card_);
  const net::Port& wire = card_->ports()[1];
  if (!wire.connected()) throw config::error_at("/machine", card_->name() + ": nothing is connected to net");
  constexpr Bytes unit = 2_KiB;
  buffer_ = unit * units_of(frame_header + mtu(), unit);
  transmit_ = {areas().take("transmit ring", Descriptor::size * c.transmit_ring).base, c.transmit_ring};
  receive_ = {areas().take("receive ring", Descriptor::size * c.receive_ring).base, c.receive_ring};
  transmit_buffers_ = areas().take("transmit buffers", buffer_ * c.transmit_ring).base;
  receive_buffers_ = areas().take("receive buffers", buffer_ * c.receive_buffers).base;
  interrupt_at_ = areas().take("interrupt", 4_KiB).base;
}

void EthernetNode::close() {
  keep_areas();
  const net::Port& bus = core().ports().front();
  const net::Port& slot = card_->ports().front();
  for (const std::string& why : {reach_refusal(bus, user_base(), memory(), host::Core::line),
                                 reach_refusal(bus, card_->register_at(Card::transmit_tail), *card_, host::Core::line),
                                 reach_refusal(slot, user_base(), memory(), slot.max_payload())})
    if (!why.empty()) throw config::error_at("/machine", why);
  for (int i = config_.receive_buffers - 1; i >= 0; --i)
    free_.push_back(receive_buffers_ + unsigned_of(buffer_) * static_cast<std::uint64_t>(i));
  std::vector<Descriptor> given;
  for (; given_ + 1 < static_cast<std::uint64_t>(config_.receive_ring); ++given_) {
    Slot& s = slots_[given_];
    s.buffer = free_.back();
    free_.pop_back();
    Descriptor d;
    d.address = s.buffer;
    const auto bytes = d.encoded();
    memory().preset(receive_.at(given_), {bytes.data(), bytes.size()});
    given.push_back(d);
  }
  card_->set_transmit_ring(transmit_);
  card_->set_receive_ring(receive_);
  card_->preset_receives(given);
  card_->set_interrupt_address(interrupt_at_);
}

bool EthernetNode::done(std::uint64_t descriptor, Time written) const {
  // A core sees what it has stored itself at once: what the memory has from before that counts no more.
  const host::Word& w = status(descriptor);
  return (w.value & Descriptor::done) != 0 && w.since > written;
}

void EthernetNode::tell(Fiber& f, std::uint64_t register_offset, std::uint64_t value) {
  core().store(f, card_->register_at(register_offset), 4_B, value, 0);
}

void EthernetNode::wait_for_descriptor(Fiber& f) {
  const auto entries = static_cast<std::uint64_t>(config_.transmit_ring);
  const auto first_done = [&] {
    return done(transmit_.at(reclaimed_), transmit_written_[static_cast<std::size_t>(reclaimed_ % entries)]);
  };
  if (posted_ - reclaimed_ + 1 == entries && !first_done()) {
    host::Word& w = status(transmit_.at(reclaimed_));
    while (!first_done()) f.wait(w.changed, "a transmit descriptor");
  }
  for (; reclaimed_ < posted_ && first_done(); ++reclaimed_)
    core().touch(f, memory(), transmit_.at(reclaimed_), Descriptor::size, "transmit descriptor reclaimed");
}

void EthernetNode::send(Fiber& f, std::uint32_t place, flow::ByteView head, std::uint64_t from, Bytes n) {
  core().execute(f, "send a frame", config_.send_cycles);
  wait_for_descriptor(f);
  const auto entries = static_cast<std::uint64_t>(config_.transmit_ring);
  const std::uint64_t number = posted_++;
  const std::uint64_t buffer = transmit_buffers_ + unsigned_of(buffer_) * (number % entries);
  const std::uint64_t payload = buffer + unsigned_of(frame_header);
  if (n > Bytes::zero()) core().copy(f, memory(), payload + head.size, from, n);
  std::vector<std::uint8_t> said(static_cast<std::size_t>(frame_header.count()));
  flow::write_word(said.data(), place, 4);
  flow::write_word(said.data() + 6, card_->place(), 4);
  said.insert(said.end(), head.data, head.data + head.size);
  Descriptor d;
  d.address = buffer;
  d.length = static_cast<std::uint16_t>((frame_header + Bytes(static_cast<std::int64_t>(head.size)) + n).count());
  d.command = Descriptor::report;
  const auto bytes = d.encoded();
  std::array<std::uint8_t, 4> tail{};
  flow::write_word(tail.data(), (number + 1) % entries, 4);
  transmit_written_[static_cast<std::size_t>(number % entries)] = f.now();
  core().execute_and_store(f, "frame told to the card", 0,
                           {{buffer, {said.data(), said.size()}},
                            {transmit_.at(number), {bytes.data(), bytes.size()}},
                            {card_->register_at(Card::transmit_tail), {tail.data(), tail.size()}}});
}

void EthernetNode::drive(Fiber& f, const Taker& take) {
  host::Word& told = memory().word_ending_at(interrupt_at_ + 8);
  for (std::uint64_t seen = 0;;) {
    core().wait_for_interrupt(f, told, seen);
    ++handled_;
    core().execute(f, "interrupt", config_.interrupt_cycles);
    tell(f, Card::interrupts_off, 1);
    while (take_frame(f, take)) continue;
    refill(f);
    tell(f, Card::interrupts_on, 1);
  }
}

bool EthernetNode::take_frame(Fiber& f, const Taker& take) {
  const std::uint64_t at = receive_.at(taken_);
  Slot& s = slots_[static_cast<std::size_t>(taken_ % static_cast<std::uint64_t>(config_.receive_ring))];
  if (taken_ == given_ || !done(at, s.written)) return false;
  core().touch(f, memory(), at, Descriptor::size, "receive descriptor");
  ++taken_;
  core().execute(f, "frame taken", config_.frame_cycles);
  const Descriptor d = Descriptor::decode(memory().bytes(at, Descriptor::size).data());
  Frame frame;
  frame.from = static_cast<std::uint32_t>(flow::read_word(memory().bytes(s.buffer + 6, 4_B).data(), 4));
  frame.payload_at = s.buffer + unsigned_of(frame_header);
  frame.payload = Bytes(d.length) - frame_header;
  frame.buffer = s.buffer;
  frame.step = core().last_step(f);
  take(f, frame);
  if (taken_ + static_cast<std::uint64_t>(config_.receive_ring) - given_ > returned_at_once) refill(f);
  return true;
}

void EthernetNode::refill(Fiber& f) {
  const auto entries = static_cast<std::uint64_t>(config_.receive_ring);
  bool some = false;
  for (; !free_.empty() && given_ - taken_ + 1 < entries; ++given_) {
    Slot& s = slots_[static_cast<std::size_t>(given_ % entries)];
    s.buffer = free_.back();
    free_.pop_back();
    Descriptor d;
    d.address = s.buffer;
    const auto bytes = d.encoded();
    s.written = f.now();
    some = true;
    core().store(f, receive_.at(given_), {bytes.data(), bytes.size()});
  }
  if (some) tell(f, Card::receive_tail, given_ % entries);
}

void EthernetNode::give_back(Fiber& f, std::uint64_t buffer) {
  free_.push_back(buffer);
  // The handler does it the next time; but without a descriptor there is none.
  if (given_ == taken_) refill(f);
}

comm::ByRank<EthernetNode> ethernet_nodes(const EthernetNodeConfig& c, Machine& m, const std::string& library) {
  std::map<std::uint32_t, std::string> prefixes;  // by place
  const topo::Network* network = nullptr;
  for (const Card* card : m.all<Card>()) {
    const std::string& full = card->name();
    const std::string end = "." + c.card;
    const bool whole = full == c.card;
    if (!whole && (full.size() <= end.size() || full.compare(full.size() - end.size(), end.size(), end) != 0)) continue;
    if (!prefixes.empty() && card->network() != network)
      throw config::error_at("/machine", full + " is in another network than the other nodes' cards");
    network = card->network();
    if (!prefixes.emplace(card->place(), whole ? "" : full.substr(0, full.size() - c.card.size())).second)
      throw config::error_at("/machine", full + " has the place of another card");
  }
  if (prefixes.size() < 2)
    throw config::error_at(
        "/library",
        "library " + library + " needs two nodes or more with an \"ethernet_card\" called \"" + c.card + "\"");
  comm::ByRank<EthernetNode> out;
  for (const auto& [place, prefix] : prefixes) {
    if (place != out.size())
      throw config::error_at("/library",
                             "the network has no \"" + c.card + "\" at place " + std::to_string(out.size()));
    out.push_back(EthernetNode(c, m, prefix));
  }
  return out;
}

}  // namespace tsunagi::libraries
