// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>

namespace tsunagi::libraries {

/// Restores the order in which the messages of each pair of ranks were sent, by sequence numbers: a message that is
/// there before an earlier one waits for that.
template <class Message>
class MessageOrder {
 public:
  /// The number of the next message from one rank to another.
  std::uint32_t next(int from, int to) { return pairs_[{from, to}].sent++; }
  /// Message `number` is there: calls `deliver(message)` for it and for those that waited for it, in their order.
  template <class Deliver>
  void arrived(int from, int to, std::uint32_t number, Message& m, Deliver&& deliver) {
    Pair& p = pairs_[{from, to}];
    p.early.emplace(number, &m);
    for (auto first = p.early.begin(); first != p.early.end() && first->first == p.delivered;
         first = p.early.erase(first)) {
      ++p.delivered;
      deliver(*first->second);
    }
  }

 private:
  struct Pair {
    std::uint32_t sent = 0;
    std::uint32_t delivered = 0;
    std::map<std::uint32_t, Message*> early;
  };
  std::map<std::pair<int, int>, Pair> pairs_;
};

}  // namespace tsunagi::libraries
