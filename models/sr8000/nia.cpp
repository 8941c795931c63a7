// SPDX-License-Identifier: Apache-2.0
#include "models/sr8000/nia.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "models/host/transaction.hpp"
#include "models/router/order.hpp"
#include "units/parse.hpp"

namespace tsunagi::sr8000 {

void describe(NiaConfig& c, config::Describer& d) {
  using namespace config;
  d.field("clock", c.clock, "clock of the adapter", within(Frequency(1'000'000), Frequency(10'000'000'000)),
          ideal(Frequency(10'000'000'000)));
  d.field("fetch_cycles", c.fetch_cycles, "from a kick to the read of its transfer control word (TCW)",
          within(0, 10000), ideal(0));
  d.field("decode_cycles", c.decode_cycles, "from a TCW to the first read of data", within(0, 10000), ideal(0));
  d.field("build_cycles", c.build_cycles, "from data to their packet", within(0, 10000), ideal(0));
  d.field("status_cycles", c.status_cycles, "from the last packet to the write that says so", within(0, 10000),
          ideal(0));
  d.field("read_ahead", c.read_ahead, "packets whose data are asked for, or that wait for the network, at most",
          within(1, 64), ideal(64));
  d.field("receive_cycles", c.receive_cycles, "from a packet's tail to the write of its data", within(0, 10000),
          ideal(0));
  d.field("receive_packets", c.receive_packets, "packets of the largest size that the adapter buffers", within(1, 1000),
          ideal(1000));
  d.field("registers", c.registers, "first address of the control registers", within(1_MiB, 1024_GiB));
}

Nia::Nia(DeviceArgs args, const NiaConfig& c) : Device(args.sim, args.pool, args.name), config_(c), clock_(c.clock) {
  const topo::Place* place = topo::place_as(topo::Place::Role::terminal, args.places);
  if (place == nullptr)
    throw config::error_at("/machine", name() + ": a network interface adapter takes its place from a topology");
  node_ = static_cast<std::uint32_t>(place->number);
  network_ = place->network;
  router::require_order(*network_, name(), "takes them in the order in which they come");
  add_port("bus", args.specs.of(c, 0, [] {
    net::PortSpec p;
    p.protocol = "on_chip";
    p.needed = true;
    p.sources = 2;
    return p;
  }));
  add_port("net", args.specs.of(c, 1, [&c] {
    net::PortSpec p;
    p.protocol = "link";
    p.needed = true;
    p.rx.pipeline = {Clock(c.clock), c.receive_cycles, Time::zero()};
    p.rx.buffers.assign(virtual_channels, {c.receive_packets, flow::Credits::infinite});
    return p;
  }));
  sends_ = std::make_unique<SendUnit>(
      *this, pool(), node_,
      SendUnit::Config{clock_, c.fetch_cycles, c.decode_cycles, c.build_cycles, c.status_cycles, c.read_ahead});
}

Nia::~Nia() = default;

void Nia::wired() {
  if (const int have = port(SendUnit::net).channel().wire().framing->classes(); have != virtual_channels)
    throw config::error_at("/machine",
                           fmt::format("{} uses {} virtual channels, the wire at {} has {}", name(),
                                       static_cast<int>(virtual_channels), port(SendUnit::net).name(), have));
}

std::string Nia::leftover() const { return sends_->busy() ? "a transfer is under way" : ""; }

void Nia::fail(const std::string& what) const { throw std::runtime_error(name() + ": " + what); }

int Nia::make_field(std::uint64_t base, Bytes size) {
  fields_.push_back({base, size});
  return static_cast<int>(fields_.size()) - 1;
}

void Nia::receive(int in, net::Delivery&& d) {
  if (in == SendUnit::net) return packet_came(std::move(d));
  if (host::is_write(*d.packet)) return written(std::move(d));
  if (d.packet->header<host::Transaction>().type == host::TransactionType::read) fail("its registers cannot be read");
  sends_->answered(std::move(d));
}

void Nia::written(net::Delivery d) {
  const flow::Packet& p = *d.packet;
  const net::Cause by{d.schedule.back().tail, p.id};
  d.slot.release(d.schedule);
  if (p.address == kick_register()) return sends_->kick(p.last_word(), by);
  if (p.address != barrier_register()) fail(fmt::format("there is no register at address {:#x}", p.address));
  const BarrierCall call = decode_barrier(p.last_word());
  if (call.colour >= colours) fail(fmt::format("barriers have colours 0 to {}, not {}", colours - 1, call.colour));
  flow::PacketPtr to = pool().make();
  Header& h = to->header<Header>() = Header();
  h.route = router::header_of(static_cast<int>(node_), static_cast<int>(call.first), 1);
  h.last = call.last;
  h.field = static_cast<std::uint16_t>(call.colour);
  h.purpose = Purpose::barrier;
  const net::Wait why{clock_.after(by.when, config_.build_cycles), by, net::Stage::pipeline, "barrier"};
  port(SendUnit::net).send(0, begin(std::move(to), why, why.until));
}

void Nia::packet_came(net::Delivery d) {
  flow::Packet& p = *d.packet;
  const Header h = p.header<Header>();
  if (h.purpose == Purpose::released) {
    p.address = barrier_words_ + 64 * std::uint64_t{h.field};
    p.set_payload(8_B);
    p.say_last(++barriers_[h.field]);
  } else {
    if (h.field >= fields_.size())
      fail(fmt::format("a packet came for remote DMA field {}, which is not there", h.field));
    const Field& f = fields_[h.field];
    if (p.address > unsigned_of(f.size) || p.total_payload() > f.size - Bytes(static_cast<std::int64_t>(p.address)))
      fail(fmt::format("{} at offset {:#x} are beyond the {} of remote DMA field {}", to_string(p.total_payload()),
                       p.address, to_string(f.size), h.field));
    p.address += f.base;
  }
  p.header<host::Transaction>() = host::Transaction();
  p.header<host::Transaction>().agent = host::Agent::card;
  port(SendUnit::bus).send(1, std::move(d));
}

}  // namespace tsunagi::sr8000
