// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "flow/ring.hpp"
#include "flow/timed_space.hpp"
#include "models/dma/port.hpp"
#include "models/firmware/processor.hpp"
#include "models/myrinet/descriptors.hpp"
#include "models/myrinet/header.hpp"
#include "models/myrinet/reliable/layer.hpp"
#include "net/device.hpp"
#include "sim/timer.hpp"
#include "stats/random.hpp"

namespace tsunagi::myrinet {

/// The receiving half of a card: packets come into buffers of its memory, whole; while none is free they stay where
/// they are, in the slack buffer and on the wires behind it. The processor takes one after the other, finds a receive
/// buffer for each and writes the packet and an event there. Without a receive buffer it drops the packet.
class PacketReceiver final : private net::SlotOwner {
 public:
  struct Config {
    int cycles = 0;  // of the processor, a packet
    int buffers = 1;
    std::int64_t loss_ppm = 0;
    std::uint64_t seed = 1;
  };
  /// All outlive this.
  PacketReceiver(net::Device& card, flow::PacketPool& pool, dma::Port& host, firmware::Processor& processor,
                 const Config& c);
  void set_events(std::uint64_t base, int entries) {
    events_ = base;
    entries_ = entries;
  }
  /// It takes what has come. It outlives this.
  void set_layer(Layer& layer) { layer_ = &layer; }
  /// Tells software by an event, whose number is this one's.
  void tell(ReceiveEvent e, const net::Wait& why, net::Slot held = {});
  /// Software has posted a receive buffer.
  void posted(const ReceiveBuffer& r) { posted_.push_back(r); }
  /// A piece of a packet has come by the link.
  void came(net::Delivery d);
  std::int64_t dropped() const { return dropped_; }
  Bytes dropped_bytes() const { return dropped_bytes_; }
  std::int64_t failed_checks() const { return failed_checks_; }
  /// What is not done; empty: nothing.
  std::string leftover() const;

 private:
  static constexpr int writer = 1;  // on the bus: what the sending half tells does not wait for data
  /// A packet that is in the card's memory, or comes in.
  struct Packet {
    Bytes size;
    std::uint32_t type = 0;
    std::uint32_t origin = 0;
    std::array<std::uint8_t, 16> lead{};  // of a layer, none of the size
    Bytes led;                            // of that, how much has come
    flow::Contents contents;
    net::Wait taken;  // by the processor
  };
  /// Takes in what waits in the slack buffer, as far as there are buffers.
  void take();
  /// A piece comes into the card's memory, from `at` on at the earliest.
  void take_piece(net::Delivery d, Time at);
  /// All of the packet that comes in is there.
  void whole(const net::Cause& last);
  /// The processor is done with the first of those that wait for it.
  void handle();
  void drop(const Packet& p, bool fails);
  void free_buffer();
  /// As the layer has it.
  void pass(Packet p);
  void write(Packet p, const ReceiveBuffer& to, std::uint32_t type);
  /// Data, and behind them an event, if any.
  void write(Packet p, std::uint64_t address, const ReceiveEvent* event);
  void slot_released(flow::FlowClass c, flow::Credits per_packet, net::Spans when, std::uint64_t packet) override;
  Time slot_now() const override { return card_.simulation().now(); }

  net::Device& card_;
  flow::PacketPool& pool_;
  dma::Port& host_;
  firmware::Processor& processor_;
  Config config_;
  Layer* layer_ = nullptr;
  std::uint64_t events_ = 0;
  int entries_ = 0;
  std::uint32_t events_written_ = 0;
  flow::Ring<ReceiveBuffer> posted_;
  flow::TimedSpace buffers_;  // a byte each
  flow::Ring<net::Delivery> slack_;
  bool open_ = false;  // a packet comes in
  Packet coming_;
  flow::Ring<Packet> handled_;  // that the processor works at, or that wait for it
  int held_ = 0;                // buffers that are not free
  stats::RandomStream losses_;
  std::int64_t dropped_ = 0;
  Bytes dropped_bytes_;
  std::int64_t failed_checks_ = 0;
  sim::Timer<&PacketReceiver::take> take_{*this};
  sim::Timer<&PacketReceiver::handle> handle_{*this};
};

}  // namespace tsunagi::myrinet
