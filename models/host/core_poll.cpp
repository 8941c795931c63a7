// SPDX-License-Identifier: Apache-2.0
// Polling loops of a core: closed forms of which visit sees what, and where others get in.
#include <fmt/format.h>

#include <algorithm>

#include "models/host/core.hpp"

namespace tsunagi::host {

/// Visit m is at start + m periods, of word (next + m) mod words; of all of them where they count as one.
struct Core::Visits {
  Time period;
  std::size_t words;
  Time start;
  std::size_t next = 0;
  std::vector<Piece> waited = {};  // without the core, since no word has said anything

  Time at(std::int64_t m) const { return start + period * m; }
  /// The first visit of `word` at or after `t`.
  Time of(std::size_t word, Time t) const {
    const auto n = static_cast<std::int64_t>(words);
    const auto first = static_cast<std::int64_t>((word % words + words - next) % words);
    const Time wait = std::max(t - at(first), Time::zero());
    const std::int64_t rounds = (wait + period * n - Time::from_fs(1)) / (period * n);
    return at(first + rounds * n);
  }
  /// The first end of a visit after `t`.
  Time end_after(Time t) const {
    return t == Time::max() ? t : at(std::max<std::int64_t>((t - start) / period, 0) + 1);
  }
  /// The first end of a visit at or after `t` by which each word has been visited.
  Time end_from(Time t) const {
    if (t == Time::max()) return t;
    return std::max(end_after(std::max(t - Time::from_fs(1), start)), at(static_cast<std::int64_t>(words)));
  }
  /// The loop goes on at `t`, after it has been interrupted at the end of a visit, `left`.
  void go_on(Time left, Time t) {
    next = (next + static_cast<std::size_t>((left - start) / period)) % words;
    start = t;
  }
};

void Core::poll(comm::Fiber& f, Memory& memory, std::uint64_t end, Bytes width, const Until& until) {
  Watch w{&memory.word_ending_at(end, width), &until};
  poll(f, memory, &w, 1, clock_.cycles(config_.poll_cycles), 1);
}

std::size_t Core::poll_any(comm::Fiber& f, Memory& memory, const std::vector<Polled>& words, Time deadline) {
  return poll(f, memory, words, clock_.cycles(config_.poll_cycles), true, deadline);
}

void Core::poll_turns(comm::Fiber& f, Memory& memory, const std::vector<Polled>& words, std::int64_t cycles) {
  poll(f, memory, words, clock_.cycles(std::max<std::int64_t>(cycles, 1)), false);
}

std::size_t Core::poll(comm::Fiber& f, Memory& memory, const std::vector<Polled>& words, Time period, bool one_by_one,
                       Time deadline) {
  if (words.empty()) throw std::logic_error(name() + ": a polling loop without a word");
  std::vector<Watch> watches;
  for (const Polled& w : words) watches.push_back({&memory.word_ending_at(w.end, w.width), &w.until});
  return poll(f, memory, watches.data(), watches.size(), period, one_by_one ? watches.size() : 1, deadline);
}

std::size_t Core::poll(comm::Fiber& f, Memory& memory, Watch* words, std::size_t n, Time period, std::size_t places,
                       Time deadline) {
  const Hold hold(*this, f);
  if (config_.line_cache.polls) lines_of(memory);
  Program& p = hold.program;
  const Time begin = f.now();
  Visits visits{period, places, begin};
  for (;;) {
    Time visit = Time::max();
    std::size_t which = n;
    for (std::size_t i = 0; i < n; ++i) {
      Watch& w = words[i];
      if (w.seen == Time::max() && (*w.until)(w.word->value)) {
        w.seen = w.word->since;
        w.writer = w.word->writer;
      }
      if (w.seen == Time::max() || visits.of(i, w.seen) >= visit) continue;
      visit = visits.of(i, w.seen);
      which = i;
    }
    if (which == n) visits.waited.clear();
    const Time offer = visits.end_after(scheduler_.asked_to_poll(p));
    const Time give_up = visits.end_from(deadline);
    if (give_up != Time::max() && give_up <= std::min(offer, visit)) {
      if (give_up > f.now()) watch(f, memory, words, n, give_up);
      if (f.now() < give_up) continue;
      tell_poll(p, {nullptr, nullptr, begin, 0}, visits, begin, give_up);
      return n;
    }
    if (offer != Time::max() && offer <= visit) {
      f.wait_until(offer);
      scheduler_.offer(p);
      take(p, visits.waited);
      visits.go_on(offer, f.now());
      continue;
    }
    if (which == n) {
      watch(f, memory, words, n, Time::max());
      continue;
    }
    // Through the cache a visit takes what its line's state is then.
    const bool cached = config_.line_cache.polls;
    const Time last = cached ? visit : visit + config_.poll_detect;
    if (last > f.now()) watch(f, memory, words, n, last);
    if (f.now() < visit) continue;
    f.wait_until(cached ? visit + fetching(words[which]) : last);
    tell_poll(p, words[which], visits, begin, visit);
    return which;
  }
}

Time Core::fetching(const Watch& w) {
  const ByteRange word = w.word->place;
  // A write that the visit has seen has made the line stale, also one of this moment.
  const LineCache::Touched t =
      lines_->touch(word.begin, Bytes(static_cast<std::int64_t>(word.end - word.begin)), now() + Time::from_fs(1));
  return t.misses == 0 ? clock_.cycles(t.hits * config_.line_cache.hit_cycles) : config_.poll_detect;
}

void Core::watch(comm::Fiber& f, const Memory& memory, Watch* words, std::size_t n, Time until) {
  std::vector<comm::Event*> events;
  events.reserve(n + 1);
  events.push_back(&scheduler_.asked_event());
  for (std::size_t i = 0; i < n; ++i)
    if (words[i].seen == Time::max()) events.push_back(&words[i].word->changed);
  f.wait_any(events, until, [&memory, words] {
    return fmt::format("a write to {} at {:#x} (poll)", memory.name(), words[0].word->place.begin);
  });
}

void Core::tell_poll(Program& p, const Watch& w, const Visits& v, Time begin, Time loop) {
  // It ends with the write that it saw, or, where that was there before, follows the program's step before.
  if (w.seen > begin) p.last_step = w.writer;
  Time at = std::max(w.seen, begin);
  for (const Piece& piece : v.waited) {
    const Time from = std::max(piece.begin, at);
    if (piece.end <= from) continue;
    step(p, net::Stage::poll, "polling loop", at, from);
    step(p, piece.stage, piece.what, from, piece.end);
    at = piece.end;
  }
  step(p, net::Stage::poll, "polling loop", at, loop);
  step(p, net::Stage::poll, "fetch the line", loop, now());
}

std::uint64_t Core::poll_uncached(comm::Fiber& f, std::uint64_t end, const Until& until) {
  const Hold hold(*this, f);
  Program& p = hold.program;
  const Time start = f.now();
  for (;;) {
    const Loaded seen = read(p, end - 8, 8_B);
    if (until(seen.value)) {
      // What brought the value began when the load read it; it was there since `since`, by a write, unless that was
      // before the poll.
      if (seen.sight.since > start)
        tell(seen.packet, seen.sight.writer, net::Stage::poll, "polling loop", seen.sight.since, seen.sight.read);
      return seen.value;
    }
    const Time again = f.now();
    f.wait_for(clock_.cycles(config_.poll_cycles));
    step(p, net::Stage::poll, "polling loop", again, f.now());
    if (scheduler_.offer(p)) take(p);
  }
}

}  // namespace tsunagi::host
