// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "fiber/fiber.hpp"
#include "models/host/core/core_cache.hpp"
#include "models/host/core/core_steps.hpp"
#include "models/host/core_config.hpp"
#include "models/host/memory/memory.hpp"
#include "net/device.hpp"

namespace tsunagi::host {

/// A core's polling loops over words of a memory: closed forms of which visit sees what, and where others get in. The
/// core sleeps until a word changes, somebody asks for it, or the loop gives up.
class PollingLoop {
 public:
  /// What is polled: whether a word says what is waited for.
  using Until = std::function<bool(std::uint64_t)>;
  /// A word that is polled among others: of `width` bytes (1 .. 8), before `end`.
  struct Polled {
    std::uint64_t end = 0;
    Bytes width{8};
    Until until;
  };

  /// All that it is given outlives it.
  PollingLoop(net::Device& core, const CoreConfig& c, CoreSteps& steps, CoreCache& cache)
      : core_(core), config_(c), clock_(c.clock), steps_(steps), cache_(cache) {}
  /// Until the word of `width` bytes that ends at `end` says what is waited for.
  void poll(Fiber& f, Memory& memory, std::uint64_t end, Bytes width, const Until& until);
  /// Until one of the words does, one word a visit; returns which, or their number where the loop gave up.
  std::size_t poll_any(Fiber& f, Memory& memory, const std::vector<Polled>& words, Time deadline);
  /// The same of all words each visit; a visit takes `cycles`, at least one.
  void poll_turns(Fiber& f, Memory& memory, const std::vector<Polled>& words, std::int64_t cycles);

 private:
  using Program = CoreSteps::Program;
  /// A word that the loop visits.
  struct Watch {
    Word* word;
    const Until* until;
    Time seen = Time::max();  // since when it says what is waited for
    std::uint64_t writer = 0;
  };
  /// The loop's visits since it got the core, and what it is told of the time before.
  struct Visits;
  /// A visit takes `period`, there are so many `places` to visit in turn: one for each word, or one for all.
  std::size_t poll(Fiber& f, Memory& memory, Watch* words, std::size_t n, Time period, std::size_t places,
                   Time deadline = Time::max());
  std::size_t poll(Fiber& f, Memory& memory, const std::vector<Polled>& words, Time period, bool one_by_one,
                   Time deadline = Time::max());
  /// Waits for the first change of a word that says nothing yet or for somebody who asks.
  void watch(Fiber& f, const Memory& memory, Watch* words, std::size_t n, Time until);
  void tell(Program& p, const Watch& w, const Visits& v, Time begin, Time loop);

  net::Device& core_;
  const CoreConfig& config_;
  Clock clock_;
  CoreSteps& steps_;
  CoreCache& cache_;
};

}  // namespace tsunagi::host
