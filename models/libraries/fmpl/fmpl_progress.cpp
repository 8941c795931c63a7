// SPDX-License-Identifier: Apache-2.0
// FMPL's messages: what goes on in calls that wait, and sends that turn to the buffer there.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "comm/messages/who.hpp"
#include "models/libraries/fmpl/fmpl_messages.hpp"

namespace tsunagi::libraries {

namespace {

bool has(const std::vector<comm::Request>& waited, const comm::Request& r) {
  return std::find(waited.begin(), waited.end(), r) != waited.end();
}

}  // namespace

std::optional<Bytes> FmplMessages::room(int rank, const Pending& p) const {
  if (config_.send_buffer == Bytes::zero()) return std::nullopt;
  return ends_[static_cast<std::size_t>(rank)].buffer.room(std::max(p.bytes.size, FmplSendBuffer::unit));
}

Time FmplMessages::turns(int rank, const Pending& p, const std::vector<comm::Request>& waited) const {
  if (p.kept || !has(waited, p.request) || !room(rank, p)) return Time::max();
  return p.request.at(comm::Milestone::posted) + config_.timeout;
}

Time FmplMessages::deadline(int rank, const std::vector<comm::Request>& waited) const {
  const End& me = ends_[static_cast<std::size_t>(rank)];
  Time first = Time::max();
  for (const std::list<Pending>* sends : {&me.sends, &me.own_sends})
    for (const Pending& p : *sends) first = std::min(first, turns(rank, p, waited));
  return first;
}

bool FmplMessages::keep_late(comm::Fiber& f, int rank, const std::vector<comm::Request>& waited) {
  if (deadline(rank, waited) > f.now()) return false;
  End& me = ends_[static_cast<std::size_t>(rank)];
  for (std::list<Pending>* sends : {&me.sends, &me.own_sends})
    for (auto s = sends->begin(); s != sends->end(); ++s) {
      if (turns(rank, *s, waited) > f.now() || (s->peer != rank && header_is_there(rank, *s))) continue;
      keep(f, rank, *s);
      if (sends == &me.sends) me.kept.splice(me.kept.end(), me.sends, s);
      return true;
    }
  return false;
}

void FmplMessages::keep(comm::Fiber& f, int rank, Pending& p) {
  const ComBufNode& n = nodes_[static_cast<std::size_t>(rank)];
  p.kept = room(rank, p);
  ends_[static_cast<std::size_t>(rank)].buffer.take(*p.kept, std::max(p.bytes.size, FmplSendBuffer::unit));
  step_(f, rank, "copy to the send buffer", [&] {
    n.core().copy(f, n.memory(), source_of(rank, p), n.user_base() + unsigned_of(p.bytes.offset), p.bytes.size);
    n.core().execute(f, "note the send", config_.post_cycles);
  });
  step_.copied(comm::Copier::core, p.bytes.size);
  p.request.reach(comm::Milestone::completed, f.now());
}

void FmplMessages::wait_for_slot(comm::Fiber& f, int rank, const Pending& p) {
  const Slot& s = pair(rank, p.peer).slots[static_cast<std::size_t>(p.slot)];
  const End& me = ends_[static_cast<std::size_t>(rank)];
  const auto has_it = [&](const Pending& o) { return o.kept && o.peer == p.peer && o.slot == p.slot; };
  while (s.sends) {
    if (std::none_of(me.kept.begin(), me.kept.end(), has_it) &&
        std::none_of(me.leaving.begin(), me.leaving.end(), has_it))
      throw std::runtime_error(
          fmt::format("rank {} sends to rank {} by matching slot {}, which a send before has not "
                      "given back",
                      rank, p.peer, p.slot));
    progress(f, rank, {});
  }
}

void FmplMessages::send_asked(comm::Fiber& f, int rank, std::list<Pending>& sends) {
  const auto asked =
      std::find_if(sends.begin(), sends.end(), [&](const Pending& p) { return header_is_there(rank, p); });
  if (asked == sends.end()) return;
  start_data(f, rank, *asked);
  std::list<Pending>& leaving = ends_[static_cast<std::size_t>(rank)].leaving;
  leaving.splice(leaving.end(), sends, asked);
}

void FmplMessages::asked_for(int rank, std::vector<std::list<Pending>::iterator>& which,
                             std::vector<host::Core::Polled>& words) {
  End& me = ends_[static_cast<std::size_t>(rank)];
  std::set<int> looked;  // for receives with any tag, which the first send to a peer meets
  for (std::list<Pending>* all : {&me.kept, &me.sends})
    for (auto s = all->begin(); s != all->end(); ++s)
      for (const int slot : slots_of(*s)) {
        if (config_.any_tag && slot == any_slot() && !looked.insert(s->peer).second) continue;
        which.push_back(s);
        words.push_back(header_of(rank, s->peer, slot));
      }
}

void FmplMessages::answer(comm::Fiber& f, int rank, std::list<Pending>::iterator send) {
  End& me = ends_[static_cast<std::size_t>(rank)];
  start_data(f, rank, *send);
  me.leaving.splice(me.leaving.end(), send->kept ? me.kept : me.sends, send);
}

std::vector<host::Core::Polled> FmplMessages::words(int rank) {
  std::vector<std::list<Pending>::iterator> which;
  std::vector<host::Core::Polled> out;
  asked_for(rank, which, out);
  return out;
}

void FmplMessages::attend(comm::Fiber& f, int rank, std::size_t which) {
  std::vector<std::list<Pending>::iterator> all;
  std::vector<host::Core::Polled> words;
  asked_for(rank, all, words);
  answer(f, rank, all[which]);
}

void FmplMessages::progress(comm::Fiber& f, int rank, const std::vector<comm::Request>& waited) {
  if (keep_late(f, rank, waited)) return;
  End& me = ends_[static_cast<std::size_t>(rank)];
  // What is due comes first in the order of the calls: sends that are asked for, then receives.
  std::vector<std::list<Pending>::iterator> which;
  std::vector<host::Core::Polled> words;
  asked_for(rank, which, words);
  const std::size_t sends = which.size();
  for (auto s = me.leaving.begin(); s != me.leaving.end(); ++s) {
    if (!s->kept && !has(waited, s->request)) continue;
    which.push_back(s);
    words.push_back(nodes_[static_cast<std::size_t>(rank)].sent(s->transfer));
  }
  const std::size_t leaving = which.size();
  // Who waits for a message of anybody receives those before it, too.
  const bool anybody = from_anybody(rank, waited);
  for (auto r = me.receives.begin(); r != me.receives.end(); ++r) {
    if (!has(waited, r->request) && !(anybody && r->slot == any_source_slot())) continue;
    which.push_back(r);
    words.push_back(flag_of(rank, *r));
  }
  const std::vector<int> peers = anybody ? announcers(rank) : std::vector<int>();
  for (const int peer : peers) words.push_back(announcement_of(rank, peer));
  std::size_t found = 0;
  const Time until = deadline(rank, waited);
  if (words.empty()) {  // a message to itself, which no other part of its program sends or receives
    comm::Event never;
    f.wait_any({&never}, until, "a message to itself");
    return;
  }
  if (words.size() > 1 || anybody || until != Time::max()) {
    const ComBufNode& n = nodes_[static_cast<std::size_t>(rank)];
    step_(f, rank, "poll headers and flags", [&] { found = n.core().poll_any(f, n.memory(), words, until); });
  }
  if (found == words.size()) return;
  if (found >= which.size()) return hear(f, rank, peers[found - which.size()]);
  const auto at = which[found];
  if (found < sends) return answer(f, rank, at);
  const Pending p = *at;
  (found < leaving ? me.leaving : me.receives).erase(at);
  found < leaving ? end_data(f, rank, p) : receive_data(f, rank, p);
}

bool FmplMessages::test(comm::Fiber& f, int rank, const comm::Request& r) {
  End& me = ends_[static_cast<std::size_t>(rank)];
  ComBufNode& n = nodes_[static_cast<std::size_t>(rank)];
  step_(f, rank, "test", [&] { n.core().execute(f, "fmpl_test", config_.begin_cycles); });
  send_asked(f, rank, me.sends);
  send_asked(f, rank, me.kept);
  keep_late(f, rank, {r});
  const auto says = [&](const host::Core::Polled& w) { return w.until(n.memory().word_ending_at(w.end).value); };
  const auto left = std::find_if(me.leaving.begin(), me.leaving.end(), [&](const Pending& p) {
    return (p.kept || p.request == r) && says(n.sent(p.transfer));
  });
  if (left != me.leaving.end()) {
    const Pending p = *left;
    me.leaving.erase(left);
    end_data(f, rank, p);
  }
  const bool anybody = from_anybody(rank, {r});
  const auto here = std::find_if(me.receives.begin(), me.receives.end(), [&](const Pending& p) {
    return (p.request == r || (anybody && p.slot == any_source_slot())) && says(flag_of(rank, p));
  });
  if (here != me.receives.end()) {
    const Pending p = *here;
    me.receives.erase(here);
    receive_data(f, rank, p);
  }
  if (!anybody) return completed(r, f.now());
  const std::vector<int> peers = announcers(rank);
  const auto peer = std::find_if(peers.begin(), peers.end(), [&](int of) { return says(announcement_of(rank, of)); });
  if (peer != peers.end()) hear(f, rank, *peer);
  return completed(r, f.now());
}

void FmplMessages::wait_all(comm::Fiber& f, int rank, const std::vector<comm::Request>& all) {
  for (const comm::Request& r : all)
    while (!completed(r, f.now())) progress(f, rank, {r});
}

std::size_t FmplMessages::wait_any(comm::Fiber& f, int rank, const std::vector<comm::Request>& all) {
  for (;;) {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (completed(all[i], f.now())) return i;
    progress(f, rank, all);
  }
}

void FmplMessages::finish(comm::Fiber& f, int rank) {
  const End& me = ends_[static_cast<std::size_t>(rank)];
  while (!me.sends.empty() || !me.kept.empty()) progress(f, rank, {});
  while (!me.leaving.empty()) progress(f, rank, {me.leaving.front().request});
}

std::vector<std::string> FmplMessages::leftovers() const {
  std::vector<std::string> out;
  for (std::size_t rank = 0; rank < ends_.size(); ++rank) {
    for (const Pending& p : ends_[rank].own_sends)
      out.push_back(fmt::format("nobody received a message of {} to itself", comm::who(p.envelope)));
    for (const std::list<Pending>* sends : {&ends_[rank].sends, &ends_[rank].kept})
      for (const Pending& p : *sends)
        out.push_back(fmt::format("nobody received a message of {} to rank {}", comm::who(p.envelope), p.peer));
    for (const Pending& p : ends_[rank].receives)
      out.push_back(fmt::format("rank {} posted a receive of {} by matching slot {}, which nobody used", rank,
                                comm::who(pattern_of(p)), p.slot));
    for (const Pending& p : ends_[rank].any_receives)
      out.push_back(
          fmt::format("rank {} posted a receive of {}, to which nobody sent", rank, comm::who(pattern_of(p))));
    for (const Pending& p : ends_[rank].own_receives)
      out.push_back(fmt::format("rank {} posted a receive of {} of itself", rank, comm::who(pattern_of(p))));
  }
  return out;
}

}  // namespace tsunagi::libraries
