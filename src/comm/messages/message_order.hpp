// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tsunagi::comm {

/// Restores, at one rank, the order in which each other rank has sent it messages, by sequence numbers: a message that
/// is there before an earlier one waits for that.
template <class Message>
class MessageOrder {
 public:
  /// The number of the rank's next message to another.
  std::uint32_t next(int to) { return sent_[to]++; }
  /// Message `number` of rank `from` is there: calls `deliver(message)` for it and for those that waited for it, in
  /// their order.
  template <class Deliver>
  void arrived(int from, std::uint32_t number, Message m, Deliver&& deliver) {
    std::uint32_t& expected = delivered_[from];
    if (number != expected) {
      early_.push_back({from, number, std::move(m)});
      return;
    }
    for (;;) {
      ++expected;
      deliver(m);
      const auto next = std::find_if(early_.begin(), early_.end(),
                                     [&](const Early& e) { return e.from == from && e.number == expected; });
      if (next == early_.end()) return;
      m = std::move(next->message);
      early_.erase(next);
    }
  }
  /// Whether message `number` of rank `from` is there before an earlier one.
  bool early(int from, std::uint32_t number) const { return number != delivered(from); }
  /// By rank: how many messages it has numbered.
  const std::unordered_map<int, std::uint32_t>& sent() const { return sent_; }
  /// How many messages of a rank have been delivered.
  std::uint32_t delivered(int from) const {
    const auto known = delivered_.find(from);
    return known == delivered_.end() ? 0 : known->second;
  }

 private:
  struct Early {
    int from;
    std::uint32_t number;
    Message message;
  };
  std::unordered_map<int, std::uint32_t> sent_;
  std::unordered_map<int, std::uint32_t> delivered_;
  std::vector<Early> early_;  // overtook others
};

}  // namespace tsunagi::comm
