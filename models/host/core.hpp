// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "fiber/fiber.hpp"
#include "machine/machine.hpp"
#include "models/host/core/core_cache.hpp"
#include "models/host/core/core_steps.hpp"
#include "models/host/core/polling_loop.hpp"
#include "models/host/core/streaming_loads.hpp"
#include "models/host/core/uncached_loads.hpp"
#include "models/host/core/write_combining.hpp"
#include "models/host/core_config.hpp"
#include "models/host/memory/memory.hpp"
#include "units/work.hpp"

namespace tsunagi::host {

/// A processor core: runs one step of one program at a time (Scheduler tells whose), stores through its write-combining
/// buffers, loads from devices, polls memory, copies and computes. A step is each call below, or each visit of a
/// polling loop; a fiber is a program.
class Core final : public net::Device {
 public:
  static constexpr Bytes line = WriteCombining::line;

  Core(DeviceArgs args, const CoreConfig& c);
  void receive(int port, net::Delivery&& d) override;

  /// Stores `n` bytes to a write-combining mapping at `address`, and flushes: eight bytes an
  /// instruction, one posted write a 64-byte line. Returns when the last store has retired into a
  /// buffer; the writes drain by themselves. The last eight bytes, or all of fewer, say the lower ones of `value`, the
  /// others nothing.
  void store(Fiber& f, std::uint64_t address, Bytes n, std::uint64_t value, std::uint32_t origin) {
    const Bytes said = std::min(n, Bytes(8));
    stores_.store(
        f, {address, n, {}, n - said, {flow::WordBytes(value).bytes, static_cast<std::size_t>(said.count())}, origin});
  }
  /// The same for `n` bytes that `memory` has from `source` on, which say what they say there, and `behind` them.
  void store(Fiber& f, std::uint64_t address, const Memory& memory, std::uint64_t source, Bytes n,
             flow::ByteView behind, std::uint32_t origin) {
    stores_.store(f,
                  {address, n + Bytes(static_cast<std::int64_t>(behind.size)), {}, n, behind, origin, &memory, source});
  }
  /// The same for bytes all of which say something.
  void store(Fiber& f, std::uint64_t address, flow::ByteView bytes, std::uint32_t origin = 0) {
    stores_.store(f, {address, Bytes(static_cast<std::int64_t>(bytes.size)), {}, {}, bytes, origin});
  }
  /// Bytes all of which say something, and where to.
  using Said = WriteCombining::Said;
  /// A store fence (SFENCE): returns when all lines stored before have left the write-combining buffers.
  void store_fence(Fiber& f) { stores_.fence(f); }
  /// Instructions (execute), and behind them such stores, one behind the other, in one step.
  void execute_and_store(Fiber& f, const char* what, std::int64_t cycles, const std::vector<Said>& all) {
    stores_.execute_and_store(f, what, cycles, all);
  }
  /// What is polled: whether a word says what is waited for.
  using Until = PollingLoop::Until;
  /// Spins on the word of `width` bytes (1 .. 8) that ends at `end` until it does. Wakes at the first iteration of the
  /// loop after the write is visible, plus the time to fetch the line.
  void poll(Fiber& f, Memory& memory, std::uint64_t end, Bytes width, const Until& until) {
    polls_.poll(f, memory, end, width, until);
  }
  /// The same for a word of eight bytes that is to say at least `value`.
  void poll(Fiber& f, Memory& memory, std::uint64_t end, std::uint64_t value) {
    poll(f, memory, end, Bytes(8), [value](std::uint64_t said) { return said >= value; });
  }
  /// A word that is polled among others: of `width` bytes (1 .. 8), before `end`.
  using Polled = PollingLoop::Polled;
  /// Spins on several words, one a visit, in turn from the first one on, until one says what is waited for: returns
  /// which. A visit takes `poll_cycles`; a word that has said it once is taken at its next visit. When another program
  /// had the core in between, the loop goes on with the word behind the last one visited. Where none has said it it
  /// gives up with the first visit that ends at `deadline` or later, but not before each word has been visited since
  /// it has the core, and returns the number of words.
  std::size_t poll_any(Fiber& f, Memory& memory, const std::vector<Polled>& words, Time deadline = Time::max()) {
    return polls_.poll_any(f, memory, words, deadline);
  }
  /// The same in turns of so many cycles, at least one, in which a program does more than to poll: looks at all words
  /// where a turn begins, and returns when one says what is waited for.
  void poll_turns(Fiber& f, Memory& memory, const std::vector<Polled>& words, std::int64_t cycles) {
    polls_.poll_turns(f, memory, words, cycles);
  }

  /// An uncached load of `n` bytes (at most eight) from `address`: a read over the bus, one at a time, behind the
  /// lines stored before (an uncached access flushes them). Returns the number that they say (little-endian).
  std::uint64_t load(Fiber& f, std::uint64_t address, Bytes n) { return loads_.load(f, address, n); }
  /// Loads of eight bytes, the last one of what is left, one after the other.
  std::vector<std::uint8_t> load_bytes(Fiber& f, std::uint64_t address, Bytes n);
  /// Copies `n` bytes out of a write-combining mapping at `from`, a multiple of 16, to `to` in `memory`
  /// (StreamingLoads). What they say by the time each is read is seen there when its answer has come.
  void copy_from_device(Fiber& f, Memory& memory, std::uint64_t to, std::uint64_t from, Bytes n) {
    streams_.copy(f, memory, to, from, n);
  }
  /// Spins on the word of eight bytes that ends at `end`, by uncached loads. Each iteration takes a load and
  /// `poll_cycles`; it ends with the load that saw what is waited for. Returns that.
  std::uint64_t poll_uncached(Fiber& f, std::uint64_t end, const Until& until) { return loads_.poll(f, end, until); }
  /// Until it says at least `value`.
  std::uint64_t poll_uncached(Fiber& f, std::uint64_t end, std::uint64_t value) {
    return poll_uncached(f, end, Until([value](std::uint64_t said) { return said >= value; }));
  }
  /// Sleeps until an interrupt arrives, a write to `w` by another packet than `seen`, and remembers by which. From then
  /// on, until it calls this again, the program is an interrupt handler: it goes before other programs and keeps the
  /// core between its steps.
  void wait_for_interrupt(Fiber& f, Word& w, std::uint64_t& seen);
  /// The same for a kernel's timer: who waits for it is no handler meanwhile, and one from when it is over.
  void leave_interrupt(Fiber& f);
  void enter_interrupt(Fiber& f) { steps_.scheduler().program(f).handler = true; }
  /// For observers: number of the last step of `f`'s program, or of the packet that it saw last. And: the program,
  /// which waited, goes on because of such a step of another one on this core, as an interrupt handler that wakes it.
  std::uint64_t last_step(Fiber& f) { return steps_.scheduler().program(f).last_step; }
  void woken_by(Fiber& f, std::uint64_t step) { steps_.scheduler().program(f).last_step = step; }
  /// The same because `timer`, a literal, is over, which such a step started at `since`.
  void woken_by_timer(Fiber& f, std::uint64_t step, Time since, const char* timer) {
    woken_by(f, step);
    steps_.tell(steps_.scheduler().program(f), net::Stage::pipeline, timer, since, f.now());
  }
  /// Runs instructions that take `cycles` of the core and touch nothing that is modelled; `what`, a literal, names
  /// them for observers.
  void execute(Fiber& f, const char* what, std::int64_t cycles);

  /// Reads `n` bytes from `address` on that somebody else wrote, as a header that has come: one step of `poll_detect`
  /// if any of their lines comes from DRAM (Memory::read_lines), none where they are in a cache. `what`, a literal,
  /// names it for observers.
  void read(Fiber& f, Memory& memory, std::uint64_t address, Bytes n, const char* what);
  /// Copies `n` bytes within `memory`, at the rate of the cache level that holds them (CopyConfig). When it returns,
  /// what the bytes at `from` say by then, those at `to` say; a recording memory has extents of it, with the origins of
  /// what was copied. Throws std::logic_error for bytes that the memory does not have.
  void copy(Fiber& f, Memory& memory, std::uint64_t to, std::uint64_t from, Bytes n);
  /// Bytes that a copy of several areas moves.
  struct Copied {
    std::uint64_t to;
    std::uint64_t from;
    Bytes size;
  };
  /// The same for many areas, in one step, at the rate of the level that holds them all: a copy's loop has many lines
  /// under way and does not stop at the end of a block. None lies in where another one is copied to. A block that is
  /// shorter than a line of CopyConfig costs the line, or as much of it as there is until the next block.
  void copy(Fiber& f, Memory& memory, const std::vector<Copied>& all);
  /// Touches `n` bytes of `memory` from `address` on, headers or control words, through the core's line cache: each
  /// line costs a hit or a miss, looked up when the step begins. Writes by packets make lines stale. `what`, a literal,
  /// names them for observers.
  void touch(Fiber& f, Memory& memory, std::uint64_t address, Bytes n, const char* what) {
    cache_.touch(f, memory, address, n, what);
  }
  /// Touches `n` bytes from each of `addresses` on, one step after the other. Nobody but this core's programs may write
  /// them.
  void touch_each(Fiber& f, Memory& memory, const std::vector<std::uint64_t>& addresses, Bytes n, const char* what) {
    cache_.touch_each(f, memory, addresses, n, what);
  }
  /// Computes for so long. An interrupt handler takes the core at the first clock edge after asking; the rest follows.
  void compute(Fiber& f, Time duration);
  /// The same for as long as the roofline says.
  void compute(Fiber& f, const Work& work) { compute(f, time_of(work)); }
  Time time_of(const Work& work) const {
    return roofline(work, clock_, config_.compute.flops_per_cycle, config_.compute.memory_rate);
  }
  /// To be said before the run for each program, interrupt handlers apart, where several use the core
  /// (Scheduler::add_program).
  void add_program() { steps_.scheduler().add_program(); }
  /// `f` is one of several fibers that stand for one program (Scheduler::part_of); to be said before it uses the core.
  void part_of(const std::string& program, Fiber& f) { steps_.scheduler().part_of(program, f); }

  const CoreConfig& config() const { return config_; }

 private:
  using Program = CoreSteps::Program;
  using Hold = CoreSteps::Hold;
  void copy(Fiber& f, Memory& memory, const Copied* first, const Copied* last);
  /// What memory moves for a block of a copy; null: nothing follows it.
  Bytes moved(const Copied& c, const Copied* next) const;

  CoreConfig config_;
  Clock clock_;
  CoreSteps steps_;
  CoreCache cache_;
  WriteCombining stores_;
  PollingLoop polls_;
  UncachedLoads loads_;
  StreamingLoads streams_;
};

}  // namespace tsunagi::host
