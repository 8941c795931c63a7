// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "comm/messages/envelope.hpp"
#include "comm/world/ledger.hpp"

namespace tsunagi::comm {

/// Which bytes messages under way are made of, from their sender's memory to their receiver's in a ledger. Does nothing
/// without one; costs no simulated time.
class Carried {
 public:
  void set_ledger(Ledger* l) { ledger_ = l; }
  /// `e`'s source sends what is in `b` now. Of messages under way to `to` no other one has its sequence.
  void leaves(const Envelope& e, int to, const Buffer& b) {
    if (ledger_ != nullptr) under_way_[{e.source, to, e.sequence}] = ledger_->read(e.source, b);
  }
  /// It is in the first bytes of `into`.
  void arrives(const Envelope& e, int to, const Buffer& into) {
    if (ledger_ == nullptr) return;
    const auto it = under_way_.find({e.source, to, e.sequence});
    Buffer first = into;
    first.size = e.size;
    ledger_->write(to, first, it->second);
    under_way_.erase(it);
  }

 private:
  Ledger* ledger_ = nullptr;
  std::map<std::tuple<int, int, std::uint32_t>, Ledger::Pieces> under_way_;  // by source, target and sequence
};

}  // namespace tsunagi::comm
