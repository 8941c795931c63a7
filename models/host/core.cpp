// SPDX-License-Identifier: Apache-2.0
#include "models/host/core.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "flow/segmentation.hpp"
#include "models/pcie/tlp.hpp"

namespace tsunagi::host {

void describe(CoreConfig& c, config::Describer& d) {
  using namespace config;
  d.field("clock", c.clock, "core clock", within(Frequency(10'000'000), Frequency(10'000'000'000)));
  d.field("write_combining_buffers", c.write_combining_buffers, "64-byte lines that can be on their way out",
          within(1, 64), ideal(64));
  d.field("store_cycles", c.store_cycles, "cycles an 8-byte store takes to retire",
          within(std::int64_t{1}, std::int64_t{1000}));
  d.field("store_to_bus", c.store_to_bus, "from the store that completes a line to the line on the bus", at_most(1_us),
          ideal(0_ns));
  d.field("poll_cycles", c.poll_cycles, "cycles of one iteration of a polling loop",
          within(std::int64_t{1}, std::int64_t{10000}), ideal(std::int64_t{1}));
  d.field("poll_detect", c.poll_detect, "from the poll that misses in the cache to the new value in a register",
          at_most(1_us), ideal(0_ns));
}

Core::Core(DeviceArgs args, const CoreConfig& c)
    : Device(args.sim, args.pool, std::move(args.name)),
      config_(c),
      clock_(c.clock),
      free_buffers_(c.write_combining_buffers) {
  net::PortSpec bus;
  bus.name = "bus";
  bus.protocol = "on_chip";
  add_port(std::move(bus));
}

void Core::receive(int, net::Delivery) { throw std::logic_error(name() + " received a packet it did not ask for"); }

void Core::take_buffer(comm::Fiber& f) {
  for (;;) {
    while (!releases_.empty() && releases_.front() <= f.now()) {
      releases_.pop_front();
      ++free_buffers_;
    }
    if (free_buffers_ > 0) break;
    if (!releases_.empty())
      f.wait_until(releases_.front());
    else
      f.wait(buffer_freed_, "a write-combining buffer of " + name());
  }
  --free_buffers_;
}

void Core::slot_released(flow::FlowClass, flow::Credits, const net::Schedule& when) {
  for (const net::Span& s : when) releases_.push_back(s.tail);
  buffer_freed_.notify();
}

void Core::store(comm::Fiber& f, std::uint64_t address, Bytes n, std::uint64_t value, std::uint32_t origin) {
  for (Bytes done; done < n;) {
    const std::uint64_t at = address + static_cast<std::uint64_t>(done.count());
    const Bytes piece = flow::next_piece(at, n - done, line, line);
    take_buffer(f);
    f.wait_for(clock_.cycles(units_of(piece, 8_B) * config_.store_cycles));
    net::Delivery d;
    d.packet = pcie::memory_write(pool(), at, piece);
    d.packet->origin = origin;
    d.packet->origin_offset = static_cast<std::uint64_t>(done.count());
    done += piece;
    if (done == n) d.packet->value = value;
    d.schedule = net::Schedule::at(f.now() + config_.store_to_bus);
    d.slot = net::Slot(*this, pcie::posted, {1, 0}, 1);
    port(0).send(0, std::move(d));
  }
}

void Core::poll(comm::Fiber& f, Memory& memory, std::uint64_t end, std::uint64_t value) {
  Word& w = memory.word_ending_at(end);
  const Time start = f.now();
  while (w.value < value) f.wait(w.changed, fmt::format("a write to {} at {:#x} (poll)", memory.name(), end - 8));
  const Time period = clock_.cycles(config_.poll_cycles);
  const Time seen = std::max(w.since, start);
  const std::int64_t iterations = (seen - start + period - Time::from_fs(1)) / period;
  f.wait_until(start + period * iterations + config_.poll_detect);
}

}  // namespace tsunagi::host
