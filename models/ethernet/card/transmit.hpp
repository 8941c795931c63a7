// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "flow/ring.hpp"
#include "flow/timed_space.hpp"
#include "models/ethernet/card/descriptor_fetch.hpp"
#include "models/ethernet/card/interrupts.hpp"
#include "models/ethernet/link.hpp"
#include "sim/timer.hpp"

namespace tsunagi::ethernet {

/// The sending half of a card: frames of a ring of descriptors are read into a FIFO, as many as it has room for, and
/// leave in their order, each when all of it is there. A descriptor that asks for it is written back then.
class Transmit final : private dma::Port::Reader, private net::SlotOwner {
 public:
  struct Config {
    Clock clock;
    int frame_cycles;
    Bytes fifo;
    int cached;
  };
  /// Sends by port 1 of `card`. All outlive it.
  Transmit(net::Device& card, flow::PacketPool& pool, dma::Port& host, Interrupts& interrupts, const Config& c);

  DescriptorFetch& descriptors() { return fetch_; }
  /// Before the run: what the card is called on the network.
  void set_place(std::uint32_t place) { place_ = place; }
  bool busy() const { return under_way_ > 0 || fetch_.busy() || fetch_.available() > 0; }
  std::int64_t frames() const { return frames_; }

 private:
  struct Reading {
    DescriptorFetch::Taken descriptor;
    bool there = false;
    flow::Contents bytes;
    net::Cause last;
  };
  void start();
  void data_came(std::uint64_t token, flow::Contents bytes, net::Cause last) override;
  void send(Reading r);
  void write_back(const DescriptorFetch::Taken& t, const net::Cause& by);
  void slot_released(flow::FlowClass c, flow::Credits per_packet, net::Spans when, std::uint64_t packet) override;
  Time slot_now() const override { return card_.simulation().now(); }
  net::Port& port() const { return card_.ports()[1]; }

  net::Device& card_;
  flow::PacketPool& pool_;
  dma::Port& host_;
  Interrupts& interrupts_;
  Config config_;
  DescriptorFetch fetch_;
  flow::TimedSpace fifo_;
  std::uint32_t place_ = 0;
  bool has_next_ = false;
  DescriptorFetch::Taken next_;
  net::Wait turn_;  // the last frame's read was begun
  net::Cause last_came_;
  std::uint64_t first_ = 0;  // number of the first read that has not been sent
  flow::Ring<Reading> readings_;
  int under_way_ = 0;
  std::int64_t frames_ = 0;
  sim::Timer<&Transmit::start> timer_{*this};
};

}  // namespace tsunagi::ethernet
