// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "flow/credits.hpp"
#include "net/listener.hpp"
#include "net/sending/send_queues.hpp"
#include "net/sending/transmitter.hpp"

namespace tsunagi::net {

/// What a port tells an observer of the packets that it grants, and what kept each of them before. Costs nothing while
/// nobody listens.
class HopReport {
 public:
  /// `observer` listens from now on, to a port of so many sources.
  void begin(const LinkObserver& observer, int sources, int classes) {
    to_ = std::make_unique<To>(To{observer, classes, std::vector<Kept>(static_cast<std::size_t>(sources * classes))});
  }

  /// The first packet of a queue lacks something from `since` on.
  void note(int source, flow::FlowClass c, BlockedBy what, Time since) {
    if (to_ == nullptr) return;
    Kept& k = kept(source, c);
    if (k.by != what) k = {what, since};
  }
  /// The next packet of `w` was granted at `now` and is through the receiving port in `arrived`; `account`: of its
  /// class.
  void granted(const Waiting& w, int source, flow::FlowClass c, Time now, const Passage& p, const Span& arrived,
               Time landed, const flow::WireSize& size, const flow::CreditAccount& account) {
    if (to_ == nullptr) return;
    const flow::Packet& packet = *w.delivery.packet;
    Kept& k = kept(source, c);
    const auto& [listener, channel] = to_->observer;
    listener->hop({packet.id, packet.parent, channel, static_cast<std::int16_t>(source), c, k.by, k.since, w.next(),
                   now, p.datapath, p.piped, p.first_try, p.wire, landed, arrived, size});
    k = {};
    if (account.finite()) listener->credits({channel, c, now, account.free()});
  }

 private:
  /// What was last seen to keep the first packet of a queue, and since when.
  struct Kept {
    BlockedBy by = BlockedBy::nothing;
    Time since;
  };
  struct To {
    LinkObserver observer;
    int classes;
    std::vector<Kept> kept;  // of each queue
  };
  Kept& kept(int source, flow::FlowClass c) { return to_->kept[static_cast<std::size_t>(source * to_->classes + c)]; }
  std::unique_ptr<To> to_;  // while somebody listens
};

}  // namespace tsunagi::net
