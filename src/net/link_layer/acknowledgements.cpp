// SPDX-License-Identifier: Apache-2.0
#include "net/link_layer/acknowledgements.hpp"

namespace tsunagi::net {

Time Acknowledgements::corrupted(Time tail, Time reverse_free, BitErrors& errors) {
  const LinkLayerSpec& l = wire_->link_layer;
  if (errors.hit(l.dllp)) return tail + l.replay_timer;  // the NAK is lost too
  state_->naks.push_back(tail);
  find_due();
  return wire_->told_at(std::max(tail, reverse_free) + wire_->rate.time(l.dllp));
}

Time Acknowledgements::corrupted_flit(Time tail, const FlitStream& reverse, BitErrors& errors) {
  state_->naks.push_back(tail);
  find_due();
  Time told = reverse.end_of_next(tail);
  while (errors.happens(wire_->flits.error_rate)) told = reverse.end_of_next(told);
  return wire_->told_at(told);
}

void Acknowledgements::send_next(LinkTimeline& reverse, BitErrors* errors, const LinkObserver& observer) {
  const LinkLayerSpec& l = wire_->link_layer;
  State& s = *state_;
  if (!s.naks.empty() && s.naks.front() <= s.ack_due) {
    observer.overhead(Overhead::nak, reverse.place_acknowledgement(s.naks.take_front(), l.dllp));
    return find_due();
  }
  Span at = reverse.place_acknowledgement(s.ack_due, l.dllp);
  observer.overhead(Overhead::ack, at);
  if (const FlitStream* flits = reverse.flits()) {  // the next flit says the same
    while (errors != nullptr && errors->happens(wire_->flits.error_rate)) at.tail = flits->end_of_next(at.tail);
  } else if (errors != nullptr && errors->hit(l.dllp)) {
    // Nobody hears it: the sender's timer expires, it replays, and the duplicates are acknowledged.
    s.duplicates_due = s.unacknowledged.front().tail + l.replay_timer;
    s.ack_due = std::max(at.tail, s.duplicates_due) + l.ack_delay;
    return find_due();
  }
  // One ACK covers every packet that is there when it falls due.
  Bytes covered;
  while (!s.unacknowledged.empty() && s.unacknowledged.front().tail <= s.ack_due)
    covered += s.unacknowledged.take_front().size;
  s.acks.push_back({wire_->told_at(at.tail), covered});
  s.covered_until = s.ack_due;
  s.ack_due = s.unacknowledged.empty() ? Time::max() : s.unacknowledged.front().tail + l.ack_delay;
  find_due();
}

Bytes Acknowledgements::take_duplicates(Time now) {
  if (state_ == nullptr || state_->duplicates_due > now) return Bytes::zero();
  State& s = *state_;
  s.duplicates_due = Time::max();
  Bytes sum;
  for (std::size_t i = 0; i < s.unacknowledged.size() && s.unacknowledged[i].tail <= now; ++i)
    sum += s.unacknowledged[i].size;
  return sum;
}

}  // namespace tsunagi::net
