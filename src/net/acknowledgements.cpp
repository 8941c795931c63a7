// SPDX-License-Identifier: Apache-2.0
#include "net/acknowledgements.hpp"

namespace tsunagi::net {

Time Acknowledgements::corrupted(Time tail, Time reverse_free, BitErrors& errors) {
  const LinkLayerSpec& l = wire_->link_layer;
  if (errors.hit(l.dllp)) return tail + l.replay_timer;  // the NAK is lost too
  naks_.push_back(tail);
  return wire_->told_at(std::max(tail, reverse_free) + wire_->rate.time(l.dllp));
}

void Acknowledgements::send_next(LinkTimeline& reverse, BitErrors* errors, const LinkObserver& observer) {
  const LinkLayerSpec& l = wire_->link_layer;
  if (!naks_.empty() && naks_.front() <= ack_due_)
    return observer.overhead(Overhead::nak, reverse.place_dllp(naks_.take_front(), l.dllp));
  const Span at = reverse.place_dllp(ack_due_, l.dllp);
  observer.overhead(Overhead::ack, at);
  if (errors != nullptr && errors->hit(l.dllp)) {
    // Nobody hears it: the sender's timer expires, it replays, and the duplicates are acknowledged.
    duplicates_due_ = unacknowledged_.front().tail + l.replay_timer;
    ack_due_ = std::max(at.tail, duplicates_due_) + l.ack_delay;
    return;
  }
  // One ACK covers every packet that is there when it falls due.
  Bytes covered;
  while (!unacknowledged_.empty() && unacknowledged_.front().tail <= ack_due_)
    covered += unacknowledged_.take_front().size;
  acks_.push_back({wire_->told_at(at.tail), covered});
  covered_until_ = ack_due_;
  ack_due_ = unacknowledged_.empty() ? Time::max() : unacknowledged_.front().tail + l.ack_delay;
}

Bytes Acknowledgements::take_duplicates(Time now) {
  if (duplicates_due_ > now) return Bytes::zero();
  duplicates_due_ = Time::max();
  Bytes sum;
  for (std::size_t i = 0; i < unacknowledged_.size() && unacknowledged_[i].tail <= now; ++i)
    sum += unacknowledged_[i].size;
  return sum;
}

}  // namespace tsunagi::net
