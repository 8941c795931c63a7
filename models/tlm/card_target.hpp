// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <tlm>
#include <vector>

#include "fiber/fiber.hpp"
#include "flow/ring.hpp"
#include "models/pcie/completer.hpp"
#include "models/tlm/card_config.hpp"
#include "net/device.hpp"

namespace tsunagi::card {

/// What the cluster asks of a model's target: writes to and reads of a card's window become transactions, at offsets
/// in the window. Only fibers of the card's own call out: one for writes, and one for each read at a time. Whatever
/// begins does so when all writes before it have ended; writes never wait for reads (Base Specification 2.4.1: else
/// machines lock up). Answers leave in the order in which the reads came, for they may be pieces of one read of another
/// card's, whose completions keep their order (2.3.1.1).
class CardTarget {
 public:
  using Call = std::function<void(tlm::tlm_generic_payload&, sc_core::sc_time&)>;

  /// Calls `call`, which blocks, as long as `bound` says that there is a target.
  CardTarget(net::Device& card, flow::PacketPool& pool, const TlmCardConfig& c, Call call, std::function<bool()> bound);

  /// A write or read, its address an offset in the window, that arrives as its schedule says.
  void take(net::Delivery d);
  bool busy() const { return serving_ != 0 || !writes_.empty() || !reads_.empty(); }
  /// Writes that the target did not accept, or that nobody was there for.
  std::int64_t failed_writes() const { return failed_writes_; }

 private:
  struct Read {
    net::Delivery delivery;
    std::uint64_t behind = 0;  // so many writes
  };
  void serve_writes(Fiber& f);
  void serve_reads(Fiber& f);
  tlm::tlm_response_status call(Fiber& f, tlm::tlm_command command, const flow::Packet& p,
                                std::vector<std::uint8_t>& bytes);
  void write(Fiber& f, net::Delivery d);
  void read(Fiber& f, net::Delivery d, std::uint64_t number);

  net::Device& card_;
  flow::PacketPool& pool_;
  pcie::Completer completer_;
  Call call_;
  std::function<bool()> bound_;
  flow::Ring<net::Delivery> writes_;
  Event writes_came_;
  std::uint64_t writes_taken_ = 0;
  std::uint64_t writes_ended_ = 0;
  flow::Ring<Read> reads_;
  Event reads_may_begin_;
  std::uint64_t reads_begun_ = 0;
  std::uint64_t reads_answered_ = 0;
  Event answered_;
  int serving_ = 0;
  std::int64_t failed_writes_ = 0;
};

}  // namespace tsunagi::card
