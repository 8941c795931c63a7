// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fiber/fiber.hpp"
#include "models/host/core/core_steps.hpp"
#include "models/host/core_config.hpp"
#include "models/host/memory/memory.hpp"

namespace tsunagi::host {

/// What a core has of a memory's lines: headers and control words that it touches, words that it polls, lines that its
/// stores go through. There is none before the first access.
class CoreCache {
 public:
  /// `c` and `steps` outlive it.
  CoreCache(const CoreConfig& c, CoreSteps& steps) : config_(c), clock_(c.clock), steps_(steps) {}
  /// `memory` knows of it from now on. The first one is the one that stores go through to.
  void attach(Memory& memory) { lines_of(memory); }
  /// One step: touches each line of `n` bytes from `address` on.
  void touch(Fiber& f, Memory& memory, std::uint64_t address, Bytes n, const char* what);
  /// A step each for `n` bytes from each of `addresses` on, which nobody but the core writes. Where no other program
  /// can come between, the fiber waits once for all that are there, since nothing else can change whether they are.
  void touch_each(Fiber& f, Memory& memory, const std::vector<std::uint64_t>& addresses, Bytes n, const char* what);
  /// How long it takes at `now` to get the bytes of `word`, of a memory that is attached: a hit for each line that is
  /// there, or `poll_detect`.
  Time fetch(ByteRange word, Time now);
  /// A store of the core, which leaves it as `p` now, goes through the cache if that is what the core does.
  void store_through(flow::Packet& p, Time now) {
    if (lines_ && config_.line_cache.stores == StorePolicy::through) store(p, now);
  }

 private:
  /// A step that touches lines: until `found` those that are there, then the others.
  struct Step {
    Time begin;
    Time found;
    Time end;
  };
  Step touch_at(LineCache& lines, std::uint64_t address, Bytes n, Time at) const;
  void tell(CoreSteps::Program& p, const Step& s, const char* what);
  LineCache& lines_of(Memory& memory);
  void store(flow::Packet& p, Time now);

  const CoreConfig& config_;
  Clock clock_;
  CoreSteps& steps_;
  std::unique_ptr<LineCache> lines_;   // from the first access on that goes through it
  const Memory* touched_ = nullptr;    // whose lines they are
  std::uint16_t number_of_lines_ = 0;  // there
};

}  // namespace tsunagi::host
