// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "flow/ring.hpp"
#include "models/infiniband/queue_pair.hpp"
#include "models/infiniband/request_source.hpp"
#include "sim/timer.hpp"

namespace tsunagi::infiniband {

/// Reads the work requests of a send queue out of its ring in host memory, and hands them on in their order. A doorbell
/// makes it read on until it finds one that is not valid. The first read is alone; each that brings nothing but
/// requests lets two follow, so that a round trip later twice as many are under way, `request_ahead` bytes at most.
/// (Linux, drivers mlx4, qp.c: 2 KiB of a send queue are left free for the card's prefetch; that it doubles is
/// assumed.)
class RequestFetcher final : public RequestSource, private dma::Port::Reader {
 public:
  /// `parts`, `user` outlive this.
  RequestFetcher(CardParts& parts, const QueueMemory& ring, User& user) : parts_(parts), ring_(ring), user_(user) {}

  void doorbell(const net::Cause& by) override;
  bool pass(const PlacedRequest& r) override;
  bool busy() const override { return !reads_.empty() || more_.armed(); }

 private:
  struct Read {
    std::uint64_t begin = 0;  // entry
    std::int64_t entries = 0;
    std::uint64_t doorbells = 0;  // until it was asked for
    bool there = false;
    flow::Contents bytes;
    net::Cause last;
  };
  /// Asks for as much as may be under way.
  void ask(const net::Cause& by);
  void ask_more() {
    if (!ended_) ask(more_by_);
  }
  void data_came(std::uint64_t token, flow::Contents bytes, net::Cause last) override;
  /// Hands on what a read has brought; returns whether all of it were requests.
  bool hand_on(const Read& r);
  Time now() const { return parts_.card.simulation().now(); }

  CardParts& parts_;
  QueueMemory ring_;
  User& user_;
  std::uint64_t next_ = 0;        // request that is handed on next
  std::uint64_t asked_ = 0;       // all before are read, or asked for
  std::uint64_t first_read_ = 0;  // number of the first of
  flow::Ring<Read> reads_;        // under way, or behind such
  std::size_t allowed_ = 1;       // of those
  bool ended_ = false;            // what is under way is behind the last request
  bool again_ = false;            // but a doorbell has come since that one was asked for
  std::uint64_t doorbells_ = 0;
  net::Cause rung_by_;
  net::Cause more_by_;
  sim::Timer<&RequestFetcher::ask_more> more_{*this};
};

}  // namespace tsunagi::infiniband
