// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "net/device.hpp"
#include "net/sending/direction.hpp"
#include "net/sending/send_queues.hpp"

namespace tsunagi::net {

/// Until when, in one wake-up of a sender, nothing that is not known yet can matter to who goes next on its wire: no
/// packet that the device may still offer, no link-layer packet that may still fall due.
class Horizon {
 public:
  /// `open_source`: of which no packet waited when one might have; remembered from one wake-up to the next.
  Horizon(Direction& direction, const SendQueues& queues, const Device& from, int port, int sources,
          std::int16_t& open_source, Time now)
      : direction_(direction),
        queues_(queues),
        from_(from),
        port_(port),
        sources_(sources),
        by_age_(from.ports()[static_cast<std::size_t>(port)].spec().arbitration.by_age()),
        open_source_(open_source),
        now_(now) {}

  /// A packet of `source` was granted: what comes behind it may be open now.
  void granted(int source) {
    if (until_ != Time::max()) until_ = std::min(until_, next_of(source));
  }
  /// The next time from `at` on at which a packet can be granted, if all that competes then is known, and what goes on
  /// the wire before; the latter gets its place.
  bool reaches(Time& at) {
    while (known(at)) {
      const Time later = direction_.transmitter().next_grant(at);  // link-layer packets may have taken the wire
      if (later == at) return true;
      at = later;
    }
    return false;
  }

 private:
  bool known(Time at) {
    if (until_ == Time::max()) look(at);
    return at < until_ && direction_.make_way_ahead(at);
  }
  void look(Time at) {
    constexpr int many = 64;
    until_ = direction_.quiet_until();
    const Time any = from_.next_offer(port_);
    if (at < any || sources_ > many) until_ = std::min(until_, any);
    const int asked = at < any ? 0 : sources_;
    if (asked > 0 && until_ > at) until_ = std::min(until_, next_of(open_source_));  // an idle source is idle for long
    for (int s = 0; s < asked && until_ > at; ++s) {
      const Time next = next_of(s);
      if (next <= at) open_source_ = static_cast<std::int16_t>(s);
      until_ = std::min(until_, next);
    }
  }
  /// The earliest time at which a source may have something ready that it has not offered yet, and that could go before
  /// what it has.
  Time next_of(int source) const {
    if (by_age_ && queues_.has_ready(source, now_)) return Time::max();  // whatever else comes stands behind that
    return from_.next_offer(port_, source);
  }

  Direction& direction_;
  const SendQueues& queues_;
  const Device& from_;
  int port_;
  int sources_;
  bool by_age_;  // of one source the oldest packet goes first
  std::int16_t& open_source_;
  Time now_;
  Time until_ = Time::max();  // not looked for yet
};

}  // namespace tsunagi::net
