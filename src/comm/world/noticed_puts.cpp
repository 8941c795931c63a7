// SPDX-License-Identifier: Apache-2.0
#include "comm/world/noticed_puts.hpp"

namespace tsunagi::comm {

void NoticedPuts::started(int from, const std::vector<Put>& puts) {
  if (ledger_ == nullptr) return;
  std::map<int, std::vector<Brought>> before_notice;
  for (const Put& p : puts) {
    const auto side = [&](const PutSide& s) { return Buffer{s.offset, p.size, s.place, {}, {}, p.block, p.every}; };
    std::vector<Brought>& its = before_notice[p.peer];
    its.push_back({side(p.target), ledger_->read(from, side(p.source))});
    if (p.notify) brought_[{from, p.peer}].push_back(std::exchange(its, {}));
  }
}

void NoticedPuts::arrived(int to, int from) {
  if (ledger_ == nullptr) return;
  std::deque<std::vector<Brought>>& its = brought_[{from, to}];
  if (its.empty()) return;
  for (const Brought& b : its.front()) ledger_->write(to, b.where, b.what);
  its.pop_front();
}

void NoticedPuts::notifies(int from, int to, Bytes size, Time started) {
  if (listener_ != nullptr) notices_[{from, to}].push_back({size, started});
}

void NoticedPuts::waited_for_notice(Wait w) {
  if (listener_ == nullptr) return;
  std::deque<Notice>& sent = notices_[{w.peer, w.rank}];
  if (sent.empty()) return;  // started before anybody listened
  w.size = sent.front().size;
  w.posted = sent.front().started;
  sent.pop_front();
  listener_->wait(w);
}

}  // namespace tsunagi::comm
