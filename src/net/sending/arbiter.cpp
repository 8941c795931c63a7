// SPDX-License-Identifier: Apache-2.0
#include "net/sending/arbiter.hpp"

#include <algorithm>

namespace tsunagi::net {

Arbiter::Arbiter(const Direction& direction, const PortSpec& tx, const SendQueues& queues, const FlowControl& flow,
                 HopReport& report)
    : direction_(direction),
      tx_(tx),
      queues_(queues),
      flow_(flow),
      reserves_(!tx.reserve.empty()),
      plain_(tx.arbitration.plain()),
      rotates_(tx.arbitration.within == Arbitration::Within::round_robin && framing().classes() > 1),
      report_(report) {
  if (plain_ && !rotates_ && !framing().in_worms()) return;
  turns_ = std::make_unique<Turns>();
  if (framing().in_worms()) turns_->holders.assign(static_cast<std::size_t>(framing().classes()), -1);
}

void Arbiter::weigh(int source, const flow::Packet& p, Bytes payload, Weight& w) const {
  w.size = framing().size(p, payload);
  w.cost = framing().cost(p, payload);
  w.needs = w.cost + reserved(source, p);
}

bool Arbiter::has_room(int source, flow::FlowClass c, Time at) const {
  const Waiting& w = queues_.front(source, c);
  const flow::Packet& p = *w.delivery.packet;
  return flow_.may_go(c, framing().cost(p, w.next_payload()) + reserved(source, p), at);
}

bool Arbiter::overtakes_wrongly(int source, flow::FlowClass c, const Waiting& w) const {
  for (std::uint64_t bits = queues_.busy_classes(source); bits != 0; bits &= bits - 1) {
    const auto earlier = static_cast<flow::FlowClass>(__builtin_ctzll(bits));
    if (earlier == c || framing().may_pass(c, earlier)) continue;
    if (queues_.front(source, earlier).before(w)) return true;
  }
  return false;
}

bool Arbiter::may_go(int source, flow::FlowClass c, const Waiting& w, Time now, Weight& weight,
                     Blocked& blocked) const {
  if (turns_ != nullptr && !turns_->holders.empty() && turns_->holders[c] >= 0 && turns_->holders[c] != source)
    return false;
  if (const Time ready = w.next().head; ready > now) {
    blocked.ready_at = std::min(blocked.ready_at, ready);
    return false;
  }
  weigh(source, *w.delivery.packet, w.next_payload(), weight);
  if (!flow_.may_go(c, weight.needs, now)) {
    blocked.space = true;
    report_.note(source, c, flow_.by_credits() ? BlockedBy::credit : BlockedBy::stop, now);
    return false;
  }
  if (!direction_.has_replay_space(weight.size.total())) {
    blocked.replay_space = true;
    report_.note(source, c, BlockedBy::replay_space, now);
    return false;
  }
  return true;
}

bool Arbiter::choose_oldest_class(int source, Time now, Candidate& chosen, Blocked& blocked) const {
  const std::uint64_t busy = queues_.busy_classes(source);
  if ((busy & (busy - 1)) == 0) {  // nothing that it could overtake
    chosen.source = source;
    chosen.c = static_cast<flow::FlowClass>(__builtin_ctzll(busy));
    return may_go(source, chosen.c, queues_.front(source, chosen.c), now, chosen.weight, blocked);
  }
  const Waiting* first = nullptr;
  for (std::uint64_t bits = busy; bits != 0; bits &= bits - 1) {
    const auto c = static_cast<flow::FlowClass>(__builtin_ctzll(bits));
    const Waiting& w = queues_.front(source, c);
    if (first != nullptr && first->before(w)) continue;
    if (overtakes_wrongly(source, c, w)) continue;
    Weight weight;
    if (!may_go(source, c, w, now, weight, blocked)) continue;
    chosen = {source, c, weight};
    first = &w;
  }
  return first != nullptr;
}

bool Arbiter::choose_next_class(int source, Time now, Candidate& chosen, Blocked& blocked) const {
  const std::uint64_t busy = queues_.busy_classes(source);
  const int last = turns_->last_within.empty() ? -1 : turns_->last_within[static_cast<std::size_t>(source)];
  const std::uint64_t later = last < 0 ? busy : busy & ~((std::uint64_t{2} << last) - 1);
  for (std::uint64_t part : {later, busy & ~later})
    for (std::uint64_t bits = part; bits != 0; bits &= bits - 1) {
      const auto c = static_cast<flow::FlowClass>(__builtin_ctzll(bits));
      const Waiting& w = queues_.front(source, c);
      if (overtakes_wrongly(source, c, w) || !may_go(source, c, w, now, chosen.weight, blocked)) continue;
      chosen.source = source;
      chosen.c = c;
      return true;
    }
  return false;
}

bool Arbiter::choose_in_turn(Time now, Candidate& chosen, Blocked& blocked) const {
  const int first = queues_.next_source(last_source_);
  int source = first;
  do {
    if (rotates_ ? choose_next_class(source, now, chosen, blocked) : choose_oldest_class(source, now, chosen, blocked))
      return true;
    source = queues_.next_source(source);
  } while (source != first);
  return false;
}

Arbiter::Rank Arbiter::rank_of(int source, flow::FlowClass c, const flow::Packet& p) const {
  const Arbitration& a = tx_.arbitration;
  const bool by_source = a.by_source();
  const int takers = by_source ? tx_.sources : framing().classes();
  const int choices = by_source ? framing().classes() : tx_.sources;
  const auto taker = static_cast<std::size_t>(taker_of(source, c));
  const auto turns = [](int next, int last, int n) { return (next - last - 1 + n) % n; };
  Rank r;
  if (taker < a.priorities.size()) r.priority = a.priorities[taker];
  if (a.oldest_first) r.born = framing().born(p);
  const bool keeps = static_cast<int>(taker) == turns_->last_taker && turns_->allowance > Bytes::zero();
  r.turn = keeps ? -1 : turns(static_cast<int>(taker), turns_->last_taker, takers);
  r.within = turns(by_source ? c : source, turns_->last_within.empty() ? -1 : turns_->last_within[taker], choices);
  return r;
}

bool Arbiter::choose_by_rank(Time now, Candidate& chosen, Blocked& blocked) const {
  const bool by_age = tx_.arbitration.by_age();
  const Waiting* first = nullptr;
  Rank best;
  const int start = queues_.next_source(last_source_);
  int source = start;
  do {
    for (std::uint64_t bits = queues_.busy_classes(source); bits != 0; bits &= bits - 1) {
      const auto c = static_cast<flow::FlowClass>(__builtin_ctzll(bits));
      const Waiting& w = queues_.front(source, c);
      Weight weight;
      if (overtakes_wrongly(source, c, w) || !may_go(source, c, w, now, weight, blocked)) continue;
      const Rank rank = rank_of(source, c, *w.delivery.packet);
      const bool same_taker = first != nullptr && by_age && chosen.source == source;
      if (first != nullptr && !(same_taker ? w.before(*first) : rank.before(best))) continue;
      best = rank;
      first = &w;
      chosen = {source, c, weight};
    }
    source = queues_.next_source(source);
  } while (source != start);
  return first != nullptr;
}

void Arbiter::pass_turn(const Candidate& g, const flow::Packet& p, std::int32_t i) {
  if (!turns_->holders.empty())
    turns_->holders[g.c] = static_cast<std::int16_t>(framing().more_follow(p, i) ? g.source : -1);
  if (plain_ && !rotates_) return;
  const bool by_source = tx_.arbitration.by_source();
  const int taker = taker_of(g.source, g.c);
  if (turns_->last_within.empty())
    turns_->last_within.assign(static_cast<std::size_t>(by_source ? tx_.sources : framing().classes()), -1);
  turns_->last_within[static_cast<std::size_t>(taker)] = static_cast<std::int16_t>(by_source ? g.c : g.source);
  const auto& weights = tx_.arbitration.weights;
  if (taker != turns_->last_taker || turns_->allowance <= Bytes::zero())
    turns_->allowance =
        static_cast<std::size_t>(taker) < weights.size() ? weights[static_cast<std::size_t>(taker)] : Bytes::zero();
  turns_->last_taker = static_cast<std::int16_t>(taker);
  turns_->allowance -= g.weight.size.total();
}

}  // namespace tsunagi::net
