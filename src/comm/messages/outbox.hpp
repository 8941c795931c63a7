// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "comm/buffer.hpp"
#include "comm/messages/envelope.hpp"
#include "comm/request.hpp"

namespace tsunagi::comm {

/// What a rank has to send and there was no room for, in the order of its calls to each peer.
class Outbox {
 public:
  struct Outgoing {
    Envelope envelope;
    std::optional<Buffer> bytes;
    Request request;
  };

  bool empty() const { return waiting_.empty(); }
  /// Whether something waits that goes to `to`.
  bool has(int to) const { return waiting_.count(to) != 0; }
  void push(int to, Outgoing o) { waiting_[to].push_back(std::move(o)); }
  /// Whether something can go: there is `room(to)`.
  template <class Room>
  bool can_flush(Room&& room) const {
    return std::any_of(waiting_.begin(), waiting_.end(), [&](const auto& peer) { return room(peer.first); });
  }
  /// Calls `hand_over(to, outgoing)` while there is `room(to)`, peer by peer.
  template <class Room, class HandOver>
  void flush(Room&& room, HandOver&& hand_over) {
    for (auto it = waiting_.begin(); it != waiting_.end();) {
      auto& [to, all] = *it;
      for (; !all.empty() && room(to); all.pop_front()) hand_over(to, all.front());
      it = all.empty() ? waiting_.erase(it) : std::next(it);
    }
  }

 private:
  std::map<int, std::deque<Outgoing>> waiting_;  // by peer; none is empty
};

}  // namespace tsunagi::comm
