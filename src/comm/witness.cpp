// SPDX-License-Identifier: Apache-2.0
#include "comm/witness.hpp"

namespace tsunagi::comm {

void Witness::begins(const Envelope& e, int to, const Request& r) {
  if (listener_ == nullptr) return;
  told_[{e.source, to, e.sequence}].number = ++numbers_;
  r.set_sent({numbers_, to, e.size, {}});
}

void Witness::sent(const Envelope& e, int to, const std::string& method, const Request& r, Time now) {
  if (listener_ == nullptr) return;
  listener_->call({e.source, Call::Kind::send, to, e.size, method, r.at(Milestone::posted), now, r.sent().message,
                   e.context, e.tag});
}

void Witness::handed(const Envelope& e, int from, int to, const Request& r, Time now) {
  if (listener_ == nullptr) return;
  const bool fetched = e.kind == Envelope::Kind::fetched;
  if (fetched || e.kind == Envelope::Kind::clear_to_send) {
    Told& told = told_[{e.source, from, e.sequence}];
    told.answered = now;
    told.fetched = fetched;
  } else {
    told_[{from, to, e.sequence}].sent = now;
  }
  if (!r.valid()) return;
  Request::Sent s = r.sent();
  s.handed = now;
  r.set_sent(s);
}

void Witness::received(const Envelope& e, int rank, const std::string& method, Time posted, Time now) {
  if (listener_ == nullptr) return;
  const auto told = told_.find({e.source, rank, e.sequence});
  if (told == told_.end()) return;  // sent before somebody listened
  const std::uint64_t number = told->second.number;
  if (!told->second.fetched) told_.erase(told);
  listener_->call({rank, Call::Kind::receive, e.source, e.size, method, posted, now, number, e.context, e.tag});
}

void Witness::released(const Envelope& e, int to) {
  if (listener_ != nullptr) told_.erase({e.source, to, e.sequence});
}

void Witness::step(int rank, const char* name, Time begin, Time end) {
  if (listener_ != nullptr && begin < end) listener_->step({rank, name, begin, end});
}

void Witness::idle(int rank, Time begin, Time end) {
  if (listener_ == nullptr) return;
  const auto [it, fresh] = idle_.try_emplace(rank, Idle{begin, end});
  if (!fresh) it->second.end = end;
}

/// The time for which the rank had nothing to do, if there was any, is over.
bool Witness::take_idle(int rank, Wait& w) {
  const auto it = idle_.find(rank);
  if (it == idle_.end()) return false;
  w.rank = rank;
  w.begin = it->second.begin;
  w.end = it->second.end;
  idle_.erase(it);
  return w.begin < w.end;
}

void Witness::found(int rank, int peer, const Arrival& a) {
  Wait w;
  if (listener_ == nullptr || !take_idle(rank, w)) return;
  const Envelope& e = a.envelope;
  const bool answer = e.kind == Envelope::Kind::clear_to_send || e.kind == Envelope::Kind::fetched;
  const Told& told = told_[{e.source, answer ? peer : rank, e.sequence}];
  w.what = Wait::For::envelope;
  w.peer = peer;
  w.kind = e.kind;
  w.message = told.number;
  if (e.kind == Envelope::Kind::eager || e.kind == Envelope::Kind::finished) w.size = e.size;
  w.posted = answer ? told.answered : told.sent;
  w.arrived = a.at;
  listener_->wait(w);
}

void Witness::has_room(int rank, int peer) {
  Wait w;
  if (listener_ == nullptr || !take_idle(rank, w)) return;
  w.what = Wait::For::room;
  w.peer = peer;
  listener_->wait(w);
}

void Witness::left(int rank, const std::vector<Request>& waited, Time now) {
  Wait w;
  if (listener_ == nullptr || !take_idle(rank, w)) return;
  w.what = Wait::For::leaving;
  for (const Request& r : waited) {
    const Time t = r.at(Milestone::completed);
    if (t > now || t <= w.begin || t < w.arrived || r.sent().message == 0) continue;
    w.arrived = t;
    w.peer = r.sent().to;
    w.message = r.sent().message;
    w.size = r.sent().size;
    w.posted = r.sent().handed;
  }
  if (w.message != 0) listener_->wait(w);
}

}  // namespace tsunagi::comm
