// SPDX-License-Identifier: Apache-2.0
#include "models/ethernet/card/card.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "config/error_at.hpp"
#include "models/router/order.hpp"
#include "units/checked.hpp"
#include "units/parse.hpp"

namespace tsunagi::ethernet {

void describe(CardConfig& c, config::Describer& d) {
  using namespace config;
  describe(c.limits, d);
  d.field("clock", c.clock, "clock of the card", within(Frequency(1'000'000), Frequency(10'000'000'000)),
          ideal(Frequency(10'000'000'000)));
  d.field("send_latency", c.send_latency, "from a frame in the FIFO to the wire", at_most(100_us), ideal(0_ns));
  d.field("receive_latency", c.receive_latency, "from a frame's last byte until it is in the FIFO", at_most(100_us),
          ideal(0_ns));
  d.field("frame_cycles", c.frame_cycles, "cycles from one frame to the next, of each half", within(0, 100'000),
          ideal(0));
  d.field("transmit_fifo", c.transmit_fifo, "frames that are read and not sent yet, at most", within(64_B, 16_MiB),
          ideal(16_MiB));
  d.field("receive_fifo", c.receive_fifo, "frames that have come and are not written yet, at most",
          within(64_B, 16_MiB), ideal(16_MiB));
  d.field("descriptors", c.descriptors, "descriptors of a ring that the card reads ahead", within(1, 4096),
          ideal(4096));
  d.field("loss_ppm", c.loss_ppm, "frames of a million that come and fail their check",
          within(std::int64_t{0}, std::int64_t{999'999}), ideal(std::int64_t{0}));
  d.field("interrupt_interval", c.interrupts.interval, "between two interrupts at least; 0: none", at_most(1_s),
          ideal(0_ns));
  d.field("receive_delay", c.interrupts.receive_delay, "from the first frame that is not told yet to the interrupt",
          at_most(1_s), ideal(0_ns));
  d.field("transmit_delay", c.interrupts.transmit_delay, "the same of a frame that was sent", at_most(1_s),
          ideal(0_ns));
  d.field("bar_base", c.bar_base, "first host address of the registers", at_most(largest_given));
  d.field("bar_size", c.bar_size, "size of their window", within(128_KiB, 1_GiB));
  d.object("bus", c.bus, "I/O bus that the card sits on");
  d.require(is_paged(c.bar_base) && is_paged(c.bar_size), "\"bar_base\" and \"bar_size\" must be multiples of 4 KiB");
  const std::string needs = " holds no frame of " + to_string(c.limits.largest_frame);
  d.require(c.transmit_fifo >= c.limits.largest_frame, "\"transmit_fifo\" of " + to_string(c.transmit_fifo) + needs);
  d.require(c.receive_fifo >= c.limits.largest_frame, "\"receive_fifo\" of " + to_string(c.receive_fifo) + needs);
}

Card::Card(DeviceArgs args, const CardConfig& c)
    : Device(args.sim, args.pool, args.name), config_(c), losses_(args.seed, name()) {
  const Clock clock(c.clock);
  constexpr int writers = 1;  // all that the card writes keeps its order
  add_port(dma::port_spec(c.bus, clock, writers));
  enum { net_port = 1 };
  add_port("net", args.specs.of(c, net_port, [&c] {
    net::PortSpec p;
    p.protocol = "ethernet";
    p.arbitration = control_first();
    p.tx.pipeline.delay = c.send_latency;
    p.rx.pipeline.delay = c.receive_latency;
    constexpr std::int64_t any = flow::Credits::infinite;
    p.rx.buffers = {flow::Credits::of(any, c.receive_fifo.count()), flow::Credits::of(any, any)};
    return p;
  }));
  for (const topo::Place& place : args.places) {
    if (place.role != topo::Place::Role::terminal || place.port != "net") continue;
    place_ = static_cast<std::uint32_t>(place.number);
    network_ = place.network;
    router::require_order(*network_, name(), "gives no order back to frames");
  }
  bus_ = dma::make_port(*this, pool(), c.bus, clock, *this, writers, args.max_train);
  interrupts_ = std::make_unique<Interrupts>(*this, pool(), *bus_, c.interrupts);
  transmit_ = std::make_unique<Transmit>(*this, pool(), *bus_, *interrupts_,
                                         Transmit::Config{clock, c.frame_cycles, c.transmit_fifo, c.descriptors});
  receive_ = std::make_unique<Receive>(*this, pool(), *bus_, *interrupts_, clock, c.frame_cycles, c.descriptors);
}

Card::~Card() = default;

void Card::wired() {
  check_ports(*this, config_.limits);
  dma::check_bus(*this, config_.bus, config_.bar_base, config_.bar_size, "its registers are");
  // Two cards on a cable are a network of their own.
  const net::Port& net = ports()[1];
  if (net.connected() && network_ == nullptr) place_ = name() < net.channel().destination().name() ? 0 : 1;
  transmit_->set_place(place_);
}

void Card::receive(int port_number, net::Delivery&& d) {
  if (port_number == 0) return bus_->came(std::move(d));
  if (port(1).obey_pause(*d.packet, now())) return;
  if (d.packet->header<Header>().route.destination != place_)
    throw std::runtime_error(fmt::format("{}: a frame for station {} came to station {}", name(),
                                         d.packet->header<Header>().route.destination, place_));
  if (config_.loss_ppm > 0 && losses_.chance(config_.loss_ppm)) {
    ++failed_checks_;
    port(1).drop_received(*d.packet);
    return d.slot.release(d.schedule);
  }
  receive_->frame_came(std::move(d));
}

void Card::stored(const flow::Packet& p, std::int32_t i, const net::Cause& by) {
  const std::uint64_t offset = p.address + unsigned_of(p.stride * i) - unsigned_of(config_.bar_base);
  const std::uint64_t value = p.last_word_of(i);
  bool there = true;
  switch (offset) {
    case interrupts_on:
    case interrupts_off:
      return interrupts_->mask(offset == interrupts_off, by);
    case receive_tail:
      there = receive_->descriptors().tail(value, by);
      break;
    case transmit_tail:
      there = transmit_->descriptors().tail(value, by);
      break;
    default:
      throw std::runtime_error(fmt::format("{}: no register at offset {:#x}", name(), offset));
  }
  if (!there) throw std::runtime_error(fmt::format("{}: its ring has no entry {}", name(), value));
}

std::string Card::leftover() const {
  if (bus_->busy()) return "reads of host memory are under way";
  if (transmit_->busy()) return "frames have not been sent";
  if (receive_->busy()) return "frames have not been written to the host";
  return {};
}

}  // namespace tsunagi::ethernet
