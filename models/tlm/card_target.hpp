// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <tlm>
#include <vector>

#include "comm/fiber.hpp"
#include "flow/ring.hpp"
#include "models/pcie/tlp.hpp"
#include "models/tlm/card_config.hpp"
#include "net/device.hpp"

namespace tsunagi::card {

/// What the cluster asks of a model's target: writes to and reads of a card's window become transactions, at offsets
/// in the window. Only fibers of the card's own call out; each serves one transaction at a time. A write begins when
/// all before it have ended but for reads, a read when all writes before it have (Base Specification 2.4.1).
class CardTarget {
 public:
  using Call = std::function<void(tlm::tlm_generic_payload&, sc_core::sc_time&)>;

  /// Calls `call`, which blocks, as long as `bound` says that there is a target.
  CardTarget(net::Device& card, flow::PacketPool& pool, const TlmCardConfig& c, Call call, std::function<bool()> bound);

  /// A write or read, its address an offset in the window, that arrives as its schedule says.
  void take(net::Delivery d);
  bool busy() const { return serving_ != 0 || !waiting_.empty(); }
  /// Writes that the target did not accept, or that nobody was there for.
  std::int64_t failed_writes() const { return failed_writes_; }

 private:
  void serve(comm::Fiber& f);
  tlm::tlm_response_status call(comm::Fiber& f, tlm::tlm_command command, const flow::Packet& p,
                                std::vector<std::uint8_t>& bytes);
  void write(comm::Fiber& f, net::Delivery d);
  void read(comm::Fiber& f, net::Delivery d);
  void complete(const flow::Packet& request, const std::vector<std::uint8_t>& bytes, Time at);

  net::Device& card_;
  flow::PacketPool& pool_;
  Call call_;
  std::function<bool()> bound_;
  flow::Ring<net::Delivery> waiting_;
  comm::Event changed_;
  int serving_ = 0;
  bool writing_ = false;
  std::int64_t failed_writes_ = 0;
};

}  // namespace tsunagi::card
