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
};
void describe(CoreConfig& c, config::Describer& d);

/// A processor core: runs one step of a program at a time, stores through its write-combining
/// buffers, polls memory.
class Core final : public net::Device, private net::SlotOwner {
 public:
  static constexpr Bytes line{64};

  Core(DeviceArgs args, const CoreConfig& c);
  void receive(int port, net::Delivery d) override;

  /// Stores `n` bytes to a write-combining mapping at `address`, and flushes: eight bytes an
  /// instruction, one posted write a 64-byte line. Returns when the last store has retired into a
  /// buffer; the writes drain by themselves. `value` is what the last word says.
  void store(comm::Fiber& f, std::uint64_t address, Bytes n, std::uint64_t value, std::uint32_t origin);
  /// Spins on the word that ends at `end` until it says at least `value`. Wakes at the first
  /// iteration of the loop after the write is visible, plus the time to fetch the line.
  void poll(comm::Fiber& f, Memory& memory, std::uint64_t end, std::uint64_t value);

  const CoreConfig& config() const { return config_; }

 private:
  void slot_released(flow::FlowClass c, flow::Credits per_packet, const net::Schedule& when,
                     std::uint64_t packet) override;
  Time slot_now() const override { return now(); }
  /// Tells a step of the program, which follows its last one.
  void step(net::Stage stage, const char* what, Time begin, Time end);
  /// Blocks until a write-combining buffer is free and takes it.
  void take_buffer(comm::Fiber& f);

  CoreConfig config_;
  Clock clock_;
  int free_buffers_;
  flow::Ring<Time> releases_;  // buffers that get free later
  comm::Event buffer_freed_;
  std::uint64_t last_step_ = 0;  // or the packet that the program saw last
};

}  // namespace tsunagi::host
