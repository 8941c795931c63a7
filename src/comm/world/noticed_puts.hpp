// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "comm/facets/puts.hpp"
#include "comm/listener.hpp"
#include "comm/world/ledger.hpp"

namespace tsunagi::comm {

/// Which bytes and whose puts a notice stands for: for the ledger and for observers alone. A rank's notices come to a
/// peer in the order in which it started the puts.
class NoticedPuts {
 public:
  void set_ledger(Ledger* l) { ledger_ = l; }
  void set_listener(Listener& l) { listener_ = &l; }

  // For the ledger:
  /// Rank `from` starts puts.
  void started(int from, const std::vector<Put>& puts);
  /// The next one of rank `from` that notifies has come to rank `to`, and those before it. What no notice follows
  /// nobody knows to have come.
  void arrived(int to, int from);

  // For observers:
  /// Rank `from` has started puts that notify `to`.
  void notifies(int from, int to, Bytes size, Time started);
  /// It has waited until those that it started last had left.
  void waited_to_leave(const Wait& w) const {
    if (listener_ != nullptr) listener_->wait(w);
  }
  /// One has waited for the next notice; `w` says all but what `notifies` told.
  void waited_for_notice(Wait w);

 private:
  /// Bytes that puts bring.
  struct Brought {
    Buffer where;
    Ledger::Pieces what;
  };
  struct Notice {
    Bytes size;
    Time started;
  };
  Ledger* ledger_ = nullptr;
  Listener* listener_ = nullptr;
  std::map<std::pair<int, int>, std::deque<std::vector<Brought>>> brought_;  // by from and to, a list a notice
  std::map<std::pair<int, int>, std::deque<Notice>> notices_;                // likewise
};

}  // namespace tsunagi::comm
