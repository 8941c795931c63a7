// SPDX-License-Identifier: Apache-2.0
// FMPL's messages: what goes on in calls that wait, and sends that turn to the buffer there.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "models/libraries/fmpl/fmpl_messages.hpp"

namespace tsunagi::libraries {

Time FmplMessages::deadline(int rank, const std::vector<comm::Request>& waited) {
  Time first = Time::max();
  for (const Sends* sends : {&ends_[rank].sends, &own_.sends(rank)})
    for (const FmplPending& p : *sends) first = std::min(first, one_copy_.turns(rank, p, waited));
  return first;
}

bool FmplMessages::keep_late(Fiber& f, int rank, const std::vector<comm::Request>& waited) {
  if (deadline(rank, waited) > f.now()) return false;
  End& me = ends_[rank];
  for (Sends* sends : {&me.sends, &own_.sends(rank)})
    for (auto s = sends->begin(); s != sends->end(); ++s) {
      const bool late = one_copy_.turns(rank, *s, waited) <= f.now();
      if (!late || (s->peer != rank && slots_.header_is_there(rank, s->peer, s->slot))) continue;
      one_copy_.keep(f, rank, *s);
      if (sends == &me.sends) me.kept.splice(me.kept.end(), me.sends, s);
      return true;
    }
  return false;
}

void FmplMessages::wait_for_slot(Fiber& f, int rank, const FmplPending& p) {
  const FmplSlots::Slot& s = slots_.at(rank, p.peer, p.slot);
  const End& me = ends_[rank];
  const auto has_it = [&](const FmplPending& o) { return o.kept && o.peer == p.peer && o.slot == p.slot; };
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

void FmplMessages::send_asked(Fiber& f, int rank, Sends& sends) {
  const auto asked = std::find_if(sends.begin(), sends.end(),
                                  [&](const FmplPending& p) { return slots_.header_is_there(rank, p.peer, p.slot); });
  if (asked == sends.end()) return;
  start_data(f, rank, *asked);
  Sends& leaving = ends_[rank].leaving;
  leaving.splice(leaving.end(), sends, asked);
}

void FmplMessages::asked_for(int rank, std::vector<Sends::iterator>& which, std::vector<host::Core::Polled>& words) {
  End& me = ends_[rank];
  std::set<int> looked;  // for receives with any tag, which the first send to a peer meets
  for (Sends* all : {&me.kept, &me.sends})
    for (auto s = all->begin(); s != all->end(); ++s)
      for (const int slot : slots_.headers_of(s->slot)) {
        if (config_.any_tag && slot == slots_.any_tag_slot() && !looked.insert(s->peer).second) continue;
        which.push_back(s);
        words.push_back(slots_.header_word(rank, s->peer, slot));
      }
}

void FmplMessages::answer(Fiber& f, int rank, Sends::iterator send) {
  End& me = ends_[rank];
  start_data(f, rank, *send);
  me.leaving.splice(me.leaving.end(), send->kept ? me.kept : me.sends, send);
}

std::vector<host::Core::Polled> FmplMessages::words(int rank) {
  std::vector<Sends::iterator> which;
  std::vector<host::Core::Polled> out;
  asked_for(rank, which, out);
  return out;
}

void FmplMessages::attend(Fiber& f, int rank, std::size_t which) {
  std::vector<Sends::iterator> all;
  std::vector<host::Core::Polled> words;
  asked_for(rank, all, words);
  answer(f, rank, all[which]);
}

void FmplMessages::progress(Fiber& f, int rank, const std::vector<comm::Request>& waited) {
  if (keep_late(f, rank, waited)) return;
  End& me = ends_[rank];
  // What is due comes first in the order of the calls: sends that are asked for, then receives.
  std::vector<Sends::iterator> which;
  std::vector<host::Core::Polled> words;
  asked_for(rank, which, words);
  const std::size_t sends = which.size();
  for (auto s = me.leaving.begin(); s != me.leaving.end(); ++s) {
    if (!s->kept && !s->is_of(waited)) continue;
    which.push_back(s);
    words.push_back(nodes_[rank].sent(s->transfer));
  }
  const std::size_t leaving = which.size();
  // Who waits for a message of anybody receives those before it, too.
  const bool anybody = any_source_.waits(rank, waited);
  for (auto r = me.receives.begin(); r != me.receives.end(); ++r) {
    if (!r->is_of(waited) && !(anybody && r->slot == slots_.any_source_slot())) continue;
    which.push_back(r);
    words.push_back(slots_.flag_word(rank, r->peer, r->slot));
  }
  const std::vector<int> peers = anybody ? any_source_.announcers(rank) : std::vector<int>();
  for (const int peer : peers) words.push_back(any_source_.word(rank, peer));
  std::size_t found = 0;
  const Time until = deadline(rank, waited);
  if (words.empty()) {  // a message to itself, which no other part of its program sends or receives
    Event never;
    f.wait_any({&never}, until, "a message to itself");
    return;
  }
  if (words.size() > 1 || anybody || until != Time::max()) {
    const ComBufNode& n = nodes_[rank];
    step_(f, rank, "poll headers and flags", [&] { found = n.core().poll_any(f, n.memory(), words, until); });
  }
  if (found == words.size()) return;
  if (found >= which.size()) return hear(f, rank, peers[found - which.size()]);
  const auto at = which[found];
  if (found < sends) return answer(f, rank, at);
  const FmplPending p = *at;
  (found < leaving ? me.leaving : me.receives).erase(at);
  found < leaving ? end_data(f, rank, p) : receive_data(f, rank, p);
}

bool FmplMessages::test(Fiber& f, int rank, const comm::Request& r) {
  End& me = ends_[rank];
  ComBufNode& n = nodes_[rank];
  step_(f, rank, "test", [&] { n.core().execute(f, "fmpl_test", config_.begin_cycles); });
  send_asked(f, rank, me.sends);
  send_asked(f, rank, me.kept);
  keep_late(f, rank, {r});
  const auto left = std::find_if(me.leaving.begin(), me.leaving.end(), [&](const FmplPending& p) {
    return (p.kept || p.request == r) && n.says(n.sent(p.transfer));
  });
  if (left != me.leaving.end()) {
    const FmplPending p = *left;
    me.leaving.erase(left);
    end_data(f, rank, p);
  }
  const bool anybody = any_source_.waits(rank, {r});
  const auto here = std::find_if(me.receives.begin(), me.receives.end(), [&](const FmplPending& p) {
    return (p.request == r || (anybody && p.slot == slots_.any_source_slot())) &&
           n.says(slots_.flag_word(rank, p.peer, p.slot));
  });
  if (here != me.receives.end()) {
    const FmplPending p = *here;
    me.receives.erase(here);
    receive_data(f, rank, p);
  }
  if (!anybody) return completed(r, f.now());
  const std::vector<int> peers = any_source_.announcers(rank);
  const auto peer =
      std::find_if(peers.begin(), peers.end(), [&](int of) { return n.says(any_source_.word(rank, of)); });
  if (peer != peers.end()) hear(f, rank, *peer);
  return completed(r, f.now());
}

}  // namespace tsunagi::libraries
