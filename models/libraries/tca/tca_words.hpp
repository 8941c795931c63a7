// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/process/memory_plan.hpp"

namespace tsunagi::libraries {

/// Where in the driver's memory of a node lie the words that are polled, and those that are sent from there. To
/// add one: a row in the constructor, and its address.
class TcaWords {
 public:
  /// For so many ranks; at address 0 until `place` says where.
  explicit TcaWords(int ranks) {
    process::WordPlan plan;
    sent_ = plan.take(ranks);
    plan.next_line();
    put_status_ = plan.take(1);
    interrupt_ = plan.take(1);
    proxy_status_ = plan.take(1);
    answer_source_ = plan.take(1);
    plan.next_line();
    flag_ = plan.take(ranks);
    plan.next_line();
    flag_source_ = plan.take(1);
    plan.next_line();
    answer_ = plan.take(ranks);
    plan.next_line();
    request_ = plan.take(ranks, request_size);
    plan.next_line();
    credit_ = plan.take(ranks);
    plan.next_line();
    message_status_ = plan.take(1);
    plan.next_line();
    last_line_ = plan.take(8);
    size_ = plan.pages();
  }
  void place(std::uint64_t base) { base_ = base; }
  /// Whole pages.
  Bytes size() const { return size_; }
  std::uint64_t base() const { return base_; }

  /// What DMA of `send` says that rank `from` has sent.
  std::uint64_t sent(int from) const { return base_ + sent_.at(from); }
  /// What the own chip says of prepared puts.
  std::uint64_t put_status() const { return base_ + put_status_.first; }
  /// Reads by proxy: what the chip writes when it is interrupted, what the driver's channel says, what it sends.
  std::uint64_t interrupt() const { return base_ + interrupt_.first; }
  std::uint64_t proxy_status() const { return base_ + proxy_status_.first; }
  std::uint64_t answer_source() const { return base_ + answer_source_.first; }
  /// What prepared puts of rank `from` say, and what those of this rank send.
  std::uint64_t flag(int from) const { return base_ + flag_.at(from); }
  /// Where the latter lie if the board has no memory.
  std::uint64_t flag_source() const { return base_ + flag_source_.first; }
  /// Reads by proxy: what node `peer` answers, what rank `rank` asks for.
  std::uint64_t answer(int peer) const { return base_ + answer_.at(peer); }
  std::uint64_t request(int rank) const { return base_ + request_.at(rank); }
  static constexpr Bytes request_size{32};
  /// Two-sided messages: how many envelopes of this rank `peer` has taken, what the own chip says of bytes sent, and
  /// the line that is put behind those.
  std::uint64_t credit(int peer) const { return base_ + credit_.at(peer); }
  std::uint64_t message_status() const { return base_ + message_status_.first; }
  std::uint64_t last_line() const { return base_ + last_line_.first; }

 private:
  std::uint64_t base_ = 0;
  Bytes size_;
  process::WordRow sent_, put_status_, interrupt_, proxy_status_, answer_source_, flag_, flag_source_, answer_,
      request_, credit_, message_status_, last_line_;
};

}  // namespace tsunagi::libraries
