// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/dma/port.hpp"
#include "sim/timer.hpp"

namespace tsunagi::ethernet {

struct InterruptConfig {
  Time interval;  // between two at least
  Time receive_delay;
  Time transmit_delay;
};

/// Interrupts of a card: messages (PCI 3.0, 6.8: message signalled interrupts), writes of 8 B behind all that the card
/// has written before. A cause that is open waits for its delay, from the first one on, and for the interval since the
/// last interrupt; what comes meanwhile is told by the same one. While software has masked them causes stay open.
class Interrupts {
 public:
  /// All outlive it.
  Interrupts(net::Device& card, flow::PacketPool& pool, dma::Port& host, const InterruptConfig& c)
      : card_(card), pool_(pool), host_(host), config_(c) {}

  /// Before the run: where they are written to.
  void set_address(std::uint64_t address) { address_ = address; }
  bool told() const { return address_ != 0; }
  /// The host has been written at `when` (now or later) of a frame that has come, or was sent; `by`: what that
  /// followed.
  void received(Time when, const net::Cause& by) { cause(when + config_.receive_delay, by); }
  void sent(Time when, const net::Cause& by) { cause(when + config_.transmit_delay, by); }
  void mask(bool on, const net::Cause& by);
  std::int64_t count() const { return count_; }

 private:
  void cause(Time due, const net::Cause& by);
  void arm(Time earliest);
  void interrupt();

  net::Device& card_;
  flow::PacketPool& pool_;
  dma::Port& host_;
  InterruptConfig config_;
  std::uint64_t address_ = 0;
  bool masked_ = false;
  bool open_ = false;
  Time due_;         // of the open cause whose delay is over first
  net::Cause by_;    // that cause
  Time not_before_;  // the last interrupt's interval is over
  std::int64_t count_ = 0;
  sim::Timer<&Interrupts::interrupt> timer_{*this};
};

}  // namespace tsunagi::ethernet
