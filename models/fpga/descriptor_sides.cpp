// SPDX-License-Identifier: Apache-2.0
// Where the card's descriptors come from, and where their completions go to: kernels' by I/O channels, the host's by a
// table in its memory.
#include <fmt/format.h>

#include <stdexcept>

#include "models/fpga/fpga.hpp"
#include "models/pcie/tlp.hpp"

namespace tsunagi::fpga {

void Fpga::write_descriptor(Fiber& f, Direction way, const DescriptorWords& words) {
  const Descriptor d = decode(words, Writer::kernel);
  check_memory(way == Direction::read ? d.destination : d.source, d.length);
  Side& s = side(way);
  f.wait_until(kernel_clock().at_or_after(f.now()));
  while (!s.module->has_room(Writer::kernel)) {
    f.wait(s.module->room(), "room in the FIFO of descriptors of " + name());
    f.wait_until(kernel_clock().at_or_after(f.now()));
  }
  const std::uint64_t item = make_item();
  const Time there = clock_.after(f.now(), config_.controller.crossing_cycles);
  tell(item, 0, net::Stage::pipeline, "asynchronous FIFO", f.now(), there);
  s.module->push(Writer::kernel, d, {there, item});
}

Completion Fpga::read_status(Fiber& f, Direction way) {
  Side& s = side(way);
  for (;;) {
    const Time there = s.statuses.empty()
                           ? Time::max()
                           : kernel_clock().after(s.statuses.front().signal.when, config_.controller.crossing_cycles);
    if (there <= f.now()) {
      const Completion done = s.statuses.take_front();
      tell(done.signal.packet, 0, net::Stage::pipeline, "asynchronous FIFO", done.signal.when, there);
      return done;
    }
    f.wait_any({&s.status_there}, there, "a completion of " + name());
  }
}

void Fpga::completed(Direction d, Writer w, const Completion& c) {
  Side& s = side(d);
  if (w == Writer::kernel) {
    s.statuses.push_back(c);
    return s.status_there.notify();
  }
  if (c.id == Descriptor::fetch) return;
  --s.running;
  net::Delivery out;
  out.packet = pcie::memory_write(pool(), s.table + Registers::of_status(c.id), 4_B);
  out.packet->say_last(1);
  out.packet->parent = c.signal.packet;
  out.schedule = net::Schedule::at(c.signal.when);
  port(0).send(from_controller, std::move(out));
}

void Fpga::write_register(std::uint64_t offset, std::uint64_t value, Cause by) {
  if (offset == Registers::window) {
    window_ = value;
    return;
  }
  const auto way = static_cast<std::size_t>(offset / Registers::block);
  if (way < sides_.size() && offset % Registers::block == Registers::table) {
    if (value % 64 != 0) fail(fmt::format("a table of descriptors at {:#x}, which is no multiple of 64 B", value));
    sides_[way].table = value;
  } else if (way < sides_.size() && offset % Registers::block == Registers::last) {
    if (value >= Registers::descriptors)
      fail(fmt::format("descriptor {} of a table of {}", value, Registers::descriptors));
    run_table(static_cast<Direction>(way), static_cast<int>(value) + 1, by);
  } else {
    fail(fmt::format("no register at offset {:#x}", offset));
  }
}

void Fpga::run_table(Direction d, int count, Cause by) {
  Side& s = side(d);
  if (s.running > 0) fail("a table of descriptors is started while one runs");
  if (count > config_.controller.host_fifo)
    fail(fmt::format("a table of {} descriptors, but their FIFO holds {}", count, config_.controller.host_fifo));
  s.running = count;
  s.loaded.assign(static_cast<std::size_t>(count), std::nullopt);
  s.next = 0;
  // The read mover fetches them, into the FIFO of the module that is to run them.
  const Descriptor fetch{s.table + Registers::of_descriptor(0), Registers::fifo_of(d), Descriptor::size * count,
                         Descriptor::fetch};
  const Time decoded = clock_.after(by.when, 1);
  tell(by.packet, 0, net::Stage::pipeline, "register decoded", by.when, decoded);
  side(Direction::read).module->push(Writer::host, fetch, {decoded, by.packet});
}

void Fpga::load_descriptors(const flow::Packet& p, std::int32_t i, std::uint64_t address, Time when) {
  const Direction d = address < Registers::fifo_of(Direction::write) ? Direction::read : Direction::write;
  const Bytes first(static_cast<std::int64_t>(address - Registers::fifo_of(d)));
  Side& s = side(d);
  const Bytes n = p.payload_of(i);
  const Time there = clock_.after(when, 1);
  tell(p.id, 0, net::Stage::pipeline, "into the descriptor FIFO", when, there);
  for (Bytes at; at < n; at += Descriptor::size) {
    DescriptorWords words{};
    for (std::size_t k = 0; k < words.size(); ++k)
      words[k] = static_cast<std::uint32_t>(
          p.contents ? p.contents.word(p.payload * i + at + Bytes(static_cast<std::int64_t>(4 * k)), 4_B) : 0);
    try {
      const Descriptor what = decode(words, Writer::host);
      check_memory(d == Direction::read ? what.destination : what.source, what.length);
      s.loaded.at(static_cast<std::size_t>((first + at) / Descriptor::size)) = what;
    } catch (const std::invalid_argument& e) {
      fail(fmt::format("the host's table has {}", e.what()));
    }
  }
  // They run in the order of the table, whatever comes first.
  for (; s.next < s.loaded.size() && s.loaded[s.next]; ++s.next)
    s.module->push(Writer::host, *s.loaded[s.next], {there, p.id});
}

}  // namespace tsunagi::fpga
