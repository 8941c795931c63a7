// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "comm/fiber.hpp"
#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/host/memory.hpp"

namespace tsunagi::host {

struct CoreConfig {
  Frequency clock{2'600'000'000};
  int write_combining_buffers = 10;
  std::int64_t store_cycles = 1;
  Time store_to_bus = 80_ns;
  std::int64_t poll_cycles = 10;
  Time poll_detect = 60_ns;
  Time load_to_bus = 50_ns;
  Time uncached_load = 150_ns;
};
void describe(CoreConfig& c, config::Describer& d);

/// A processor core: runs one step of a program at a time, stores through its write-combining
/// buffers, loads from devices, polls memory.
class Core final : public net::Device, private net::SlotOwner {
 public:
  static constexpr Bytes line{64};

  Core(DeviceArgs args, const CoreConfig& c);
  void receive(int port, net::Delivery d) override;

  /// Stores `n` bytes to a write-combining mapping at `address`, and flushes: eight bytes an
  /// instruction, one posted write a 64-byte line. Returns when the last store has retired into a
  /// buffer; the writes drain by themselves. The last eight bytes, or all of fewer, say the lower ones of `value`, the
  /// others nothing. One store at a time: who comes meanwhile, also to load, waits.
  void store(comm::Fiber& f, std::uint64_t address, Bytes n, std::uint64_t value, std::uint32_t origin) {
    const Bytes said = std::min(n, Bytes(8));
    store(f,
          {address, n, {}, n - said, {flow::WordBytes(value).bytes, static_cast<std::size_t>(said.count())}, origin});
  }
  /// The same for bytes all of which say something.
  void store(comm::Fiber& f, std::uint64_t address, flow::ByteView bytes, std::uint32_t origin = 0) {
    store(f, {address, Bytes(static_cast<std::int64_t>(bytes.size)), {}, {}, bytes, origin});
  }
  /// What is polled: whether a word says what is waited for.
  using Until = std::function<bool(std::uint64_t)>;
  /// Spins on the word of `width` bytes (1 .. 8) that ends at `end` until it does. Wakes at the first iteration of the
  /// loop after the write is visible, plus the time to fetch the line.
  void poll(comm::Fiber& f, Memory& memory, std::uint64_t end, Bytes width, const Until& until);
  /// The same for a word of eight bytes that is to say at least `value`.
  void poll(comm::Fiber& f, Memory& memory, std::uint64_t end, std::uint64_t value) {
    poll(f, memory, end, Bytes(8), [value](std::uint64_t said) { return said >= value; });
  }

  /// An uncached load of `n` bytes (at most eight) from `address`: a read over the bus, one at a time, behind the
  /// lines stored before (an uncached access flushes them). Returns the number that they say (little-endian).
  std::uint64_t load(comm::Fiber& f, std::uint64_t address, Bytes n) { return read(f, address, n).value; }
  /// Loads of eight bytes, the last one of what is left, one after the other.
  std::vector<std::uint8_t> load_bytes(comm::Fiber& f, std::uint64_t address, Bytes n);
  /// Spins on the word of eight bytes that ends at `end`, by uncached loads. Each iteration takes a load and
  /// `poll_cycles`; it ends with the load that saw what is waited for. Returns that.
  std::uint64_t poll_uncached(comm::Fiber& f, std::uint64_t end, const Until& until);
  /// Until it says at least `value`.
  std::uint64_t poll_uncached(comm::Fiber& f, std::uint64_t end, std::uint64_t value) {
    return poll_uncached(f, end, Until([value](std::uint64_t said) { return said >= value; }));
  }
  /// Sleeps until an interrupt arrives, a write to `w` by another packet than `seen`, and remembers by which.
  void wait_for_interrupt(comm::Fiber& f, Word& w, std::uint64_t& seen);
  /// Runs instructions that take `cycles` of the core and touch nothing that is modelled; `what`, a literal, names
  /// them for observers.
  void execute(comm::Fiber& f, const char* what, std::int64_t cycles);

  const CoreConfig& config() const { return config_; }

 private:
  void slot_released(flow::FlowClass c, flow::Credits per_packet, net::Spans when, std::uint64_t packet) override;
  Time slot_now() const override { return now(); }
  /// What a load brought.
  struct Loaded {
    std::uint64_t value = 0;
    std::uint64_t packet = 0;
    flow::Sight sight;
  };
  Loaded read(comm::Fiber& f, std::uint64_t address, Bytes n);
  /// Tells a step of the program, which follows its last one.
  void step(net::Stage stage, const char* what, Time begin, Time end);
  /// Blocks until a write-combining buffer is free and takes it.
  void take_buffer(comm::Fiber& f);
  /// What is left of a store.
  struct Stores {
    std::uint64_t address;
    Bytes left;
    Bytes done;
    Bytes silent;  // what comes before those that say something:
    flow::ByteView said;
    std::uint32_t origin;
  };
  void store(comm::Fiber& f, Stores s);
  /// Stores the next line, or what it has of it.
  void store_line(comm::Fiber& f, Stores& s);
  /// Stores as many lines as there are buffers for, free or known to get free, as one train; false: there is none.
  bool store_lines(comm::Fiber& f, Stores& s);
  Time retiring(Bytes n) const { return clock_.cycles(units_of(n, 8_B) * config_.store_cycles); }
  void send_lines(Stores& s, flow::PacketPtr p, net::Schedule when);
  /// Behind the store that another program of this core is at.
  void wait_for_stores(comm::Fiber& f);

  CoreConfig config_;
  Clock clock_;
  int max_train_;
  int free_buffers_;
  flow::Ring<Time> releases_;  // buffers that get free later
  comm::Event buffer_freed_;
  Time flushed_;  // when the last stored line is on the bus
  bool storing_ = false;
  comm::Event stored_;
  flow::PacketPtr answer_;
  bool loading_ = false;
  comm::Event load_done_;
  std::uint64_t last_step_ = 0;  // or the packet that the program saw last
};

}  // namespace tsunagi::host
