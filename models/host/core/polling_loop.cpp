// SPDX-License-Identifier: Apache-2.0
#include "models/host/core/polling_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace tsunagi::host {

/// Visit m is at start + m periods, of word (next + m) mod words; of all of them where they count as one.
struct PollingLoop::Visits {
  Time period;
  std::size_t words;
  Time start;
  std::size_t next = 0;
  std::vector<CoreSteps::Piece> waited = {};  // without the core, since no word has said anything

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

void PollingLoop::poll(Fiber& f, Memory& memory, std::uint64_t end, Bytes width, const Until& until) {
  Watch w{&memory.word_ending_at(end, width), &until};
  poll(f, memory, &w, 1, clock_.cycles(config_.poll_cycles), 1);
}

std::size_t PollingLoop::poll_any(Fiber& f, Memory& memory, const std::vector<Polled>& words, Time deadline) {
  return poll(f, memory, words, clock_.cycles(config_.poll_cycles), true, deadline);
}

void PollingLoop::poll_turns(Fiber& f, Memory& memory, const std::vector<Polled>& words, std::int64_t cycles) {
  poll(f, memory, words, clock_.cycles(std::max<std::int64_t>(cycles, 1)), false);
}

std::size_t PollingLoop::poll(Fiber& f, Memory& memory, const std::vector<Polled>& words, Time period, bool one_by_one,
                              Time deadline) {
  if (words.empty()) throw std::logic_error(core_.name() + ": a polling loop without a word");
  std::vector<Watch> watches;
  for (const Polled& w : words) watches.push_back({&memory.word_ending_at(w.end, w.width), &w.until});
  return poll(f, memory, watches.data(), watches.size(), period, one_by_one ? watches.size() : 1, deadline);
}

std::size_t PollingLoop::poll(Fiber& f, Memory& memory, Watch* words, std::size_t n, Time period, std::size_t places,
                              Time deadline) {
  const CoreSteps::Hold hold(steps_, f);
  if (config_.line_cache.polls) cache_.attach(memory);
  Program& p = hold.program;
  Scheduler& scheduler = steps_.scheduler();
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
    const Time offer = visits.end_after(scheduler.asked_to_poll(p));
    const Time give_up = visits.end_from(deadline);
    if (give_up != Time::max() && give_up <= std::min(offer, visit)) {
      if (give_up > f.now()) watch(f, memory, words, n, give_up);
      if (f.now() < give_up) continue;
      tell(p, {nullptr, nullptr, begin, 0}, visits, begin, give_up);
      return n;
    }
    if (offer != Time::max() && offer <= visit) {
      f.wait_until(offer);
      scheduler.offer(p);
      steps_.take(p, visits.waited);
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
    memory.read_lines(words[which].word->place);
    f.wait_until(cached ? visit + cache_.fetch(words[which].word->place, f.now()) : last);
    tell(p, words[which], visits, begin, visit);
    return which;
  }
}

void PollingLoop::watch(Fiber& f, const Memory& memory, Watch* words, std::size_t n, Time until) {
  std::vector<Event*> events;
  events.reserve(n + 1);
  events.push_back(&steps_.scheduler().asked_event());
  for (std::size_t i = 0; i < n; ++i)
    if (words[i].seen == Time::max()) events.push_back(&words[i].word->changed);
  f.wait_any(events, until, [&memory, words] {
    return fmt::format("a write to {} at {:#x} (poll)", memory.name(), words[0].word->place.begin);
  });
}

void PollingLoop::tell(Program& p, const Watch& w, const Visits& v, Time begin, Time loop) {
  // It ends with the write that it saw, or, where that was there before, follows the program's step before.
  if (w.seen > begin) p.last_step = w.writer;
  Time at = std::max(w.seen, begin);
  for (const CoreSteps::Piece& piece : v.waited) {
    const Time from = std::max(piece.begin, at);
    if (piece.end <= from) continue;
    steps_.tell(p, net::Stage::poll, "polling loop", at, from);
    steps_.tell(p, piece.stage, piece.what, from, piece.end);
    at = piece.end;
  }
  steps_.tell(p, net::Stage::poll, "polling loop", at, loop);
  steps_.tell(p, net::Stage::poll, "fetch the line", loop, core_.simulation().now());
}

}  // namespace tsunagi::host
