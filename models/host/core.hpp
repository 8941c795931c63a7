// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

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
  /// buffer; the writes drain by themselves. `value` is what the last word says. One store at a time: who comes
  /// meanwhile, also to load, waits.
  void store(comm::Fiber& f, std::uint64_t address, Bytes n, std::uint64_t value, std::uint32_t origin);
  /// Spins on the word that ends at `end` until it says at least `value`. Wakes at the first
  /// iteration of the loop after the write is visible, plus the time to fetch the line.
  void poll(comm::Fiber& f, Memory& memory, std::uint64_t end, std::uint64_t value);

  /// An uncached load of `n` bytes (at most eight) from `address`: a read over the bus, one at a time, behind the
  /// lines stored before (an uncached access flushes them). Returns what the word that ends there says.
  std::uint64_t load(comm::Fiber& f, std::uint64_t address, Bytes n) { return read(f, address, n).value; }
  /// Spins on the word that ends at `end`, by uncached loads, until it says at least `value`. Each iteration takes a
  /// load and `poll_cycles`; it ends with the load that saw the value. Returns what it saw.
  std::uint64_t poll_uncached(comm::Fiber& f, std::uint64_t end, std::uint64_t value);
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
    Sight sight;
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
    std::uint64_t value;  // of the last word
    std::uint32_t origin;
  };
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
