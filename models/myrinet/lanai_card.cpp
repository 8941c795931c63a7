// SPDX-License-Identifier: Apache-2.0
#include "models/myrinet/lanai_card.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "config/error_at.hpp"
#include "models/myrinet/link.hpp"
#include "models/myrinet/routes.hpp"
#include "units/parse.hpp"

namespace tsunagi::myrinet {

namespace {

constexpr int writers = 2;  // on the bus: the sending and the receiving half
enum { bus_port, link_port };

net::PortSpec link_spec_of(const LanaiConfig& c) {
  net::PortSpec p;
  p.name = "net";
  p.protocol = "myrinet";
  p.rx.pipeline = {std::nullopt, 0, c.receive_latency};
  p.rx.store_and_forward = false;
  p.rx.trains = true;
  p.rx.buffers = {flow::Credits::of(flow::Credits::infinite, c.slack.count())};
  return p;
}

}  // namespace

LanaiCard::LanaiCard(DeviceArgs args, const LanaiConfig& c)
    : Device(args.sim, args.pool, args.name), config_(c), processor_(*this, Clock(c.clock)) {
  const Clock clock(c.clock);
  net::PortSpec bus = dma::port_spec(c.bus, clock, writers);
  std::string bus_name = bus.name;
  add_port(std::move(bus_name), args.specs.of(c, bus_port, [&bus] { return std::move(bus); }));
  add_port("net", args.specs.of(c, link_port, [&c] { return link_spec_of(c); }));
  if (const topo::Place* place = topo::place_as(topo::Place::Role::terminal, args.places); place != nullptr) {
    place_ = place->number;
    network_ = place->network;
  }
  bus_ = dma::make_port(*this, pool(), c.bus, clock, *this, writers, args.max_train);
  dma_ = std::make_unique<firmware::StartedPort>(*bus_, processor_, c.dma_cycles);
  sender_ =
      std::make_unique<PacketSender>(*this, pool(), *dma_, processor_, routes_,
                                     PacketSender::Config{c.send_cycles, c.send_latency, c.send_buffers, c.send_entries,
                                                          c.send_queue == SendQueue::host_memory, args.max_train});
  receiver_ = std::make_unique<PacketReceiver>(
      *this, pool(), *dma_, processor_,
      PacketReceiver::Config{c.receive_cycles, c.receive_buffers, c.loss_ppm, args.seed});
  if (c.firmware == Firmware::reliable)
    reliable_ = std::make_unique<ReliableFirmware>(*this, pool(), *sender_, *receiver_, c.reliable,
                                                   ReliableFirmware::Costs{c.send_cycles, c.receive_cycles});
}

std::uint64_t LanaiCard::send_entry(std::uint32_t number) const {
  const std::uint32_t at = (number - 1) % static_cast<unsigned>(config_.send_entries);
  return unsigned_of(config_.bar_base) + sends_at + at * unsigned_of(SendDescriptor::size);
}

void LanaiCard::check_memory() const {
  const Bytes packet = network_port().max_payload();
  const int lists = reliable_ != nullptr ? 2 : 1;  // what is not acknowledged stays
  const Bytes needed =
      packet * (config_.send_buffers + config_.receive_buffers) + SendDescriptor::size * config_.send_entries * lists;
  if (needed > config_.sram)
    throw config::error_at("/machine",
                           fmt::format("{}: {} send and {} receive buffers of {} and the descriptors take {}, and it "
                                       "has {} (\"sram\")",
                                       name(), config_.send_buffers, config_.receive_buffers, to_string(packet),
                                       to_string(needed), to_string(config_.sram)));
}

void LanaiCard::wired() {
  dma::check_bus(*this, config_.bus, config_.bar_base, config_.window, "its memory is");
  const net::Port& link = network_port();
  if (!link.connected()) return;
  check_memory();
  if (reliable_ != nullptr && link.max_payload() <= Lead::size)
    throw config::error_at("/machine", fmt::format("{}: packets of {} have no room behind the {} that lead their data",
                                                   name(), to_string(link.max_payload()), to_string(Lead::size)));
  if (const std::string why = refusal(config_.slack, link.incoming().wire()); !why.empty())
    throw config::error_at("/machine", name() + "." + link.name() + " " + why);
  find_place();
  if (reliable_ != nullptr) reliable_->set_place(place_, static_cast<int>(routes_.size()));
}

void LanaiCard::find_place() {
  const net::Port& link = network_port();
  if (network_ == nullptr) {  // two cards on a cable
    place_ = name() < link.channel().destination().name() ? 0 : 1;
    routes_.resize(2);
    return;
  }
  const auto& framing = static_cast<const LinkFraming&>(*link.channel().wire().framing);
  check_routes(*network_, place_, framing.max_route(), name());
  for (int to = 0; to < network_->terminals(); ++to) routes_.push_back(source_route(*network_, place_, to));
}

void LanaiCard::receive(int port, net::Delivery&& d) {
  if (port == link_port) return receiver_->came(std::move(d));
  bus_->came(std::move(d));
}

void LanaiCard::stored(const flow::Packet& p, std::int32_t i, const net::Cause& by) {
  const std::uint64_t offset = p.address + unsigned_of(p.stride * i) - unsigned_of(config_.bar_base);
  const Bytes n = p.payload_of(i);
  std::array<std::uint8_t, 32> said{};
  if (p.contents) p.contents.copy(p.payload * i, std::min(n, SendDescriptor::size), said.data());
  if (offset == receive_at && n == ReceiveBuffer::size) {
    receiver_->posted(ReceiveBuffer::decode(said.data()));
    if (reliable_ != nullptr) reliable_->buffer_posted();
    return;
  }
  const bool in_ring = config_.send_queue == SendQueue::host_memory;
  if (offset == 0 && in_ring) return sender_->rung(static_cast<std::uint32_t>(flow::read_word(said.data(), 4)), by);
  if (offset >= sends_at && !in_ring && n == SendDescriptor::size) {
    const SendDescriptor d = SendDescriptor::decode(said.data());
    return reliable_ != nullptr ? reliable_->posted(d, by) : sender_->posted(d, by);
  }
  fail(fmt::format("a write of {} B to offset {:#x}, where there is nothing of that size", n.count(), offset));
}

void LanaiCard::fail(const std::string& what) const { throw std::runtime_error(name() + ": " + what); }

std::string LanaiCard::leftover() const {
  if (bus_->busy()) return "reads of host memory are under way";
  if (reliable_ != nullptr)
    if (const std::string packets = reliable_->leftover(); !packets.empty()) return packets;
  const std::string sends = sender_->leftover();
  return sends.empty() ? receiver_->leftover() : sends;
}

}  // namespace tsunagi::myrinet
