// SPDX-License-Identifier: Apache-2.0
#include "models/fpga/fpga.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "models/pcie/refusal.hpp"
#include "models/pcie/slots.hpp"
#include "models/pcie/tlp.hpp"
#include "units/checked.hpp"
#include "units/parse.hpp"

namespace tsunagi::fpga {

void describe(FpgaConfig& c, config::Describer& d) {
  using namespace config;
  d.field("clock", c.clock, "clock of the hard IP's user side and of the DMA engine",
          within(Frequency(1'000'000), Frequency(10'000'000'000)));
  d.field("datapath_width", c.datapath_width, "bytes a clock between DMA engine and hard IP", within(4_B, 256_B),
          ideal(256_B));
  d.field("transmit_latency", c.transmit_latency, "from the datapath to the wire", at_most(1_us), ideal(0_ns));
  d.field("receive_latency", c.receive_latency, "from the wire to the datapath", at_most(1_us), ideal(0_ns));
  d.field("kernel_clock", c.kernel_clock, "clock of the kernels",
          within(Frequency(1'000'000), Frequency(10'000'000'000)));
  d.field("memory_size", c.memory_size, "bytes of the card's memory", within(1_MiB, 1024_GiB));
  d.field("memory_read_cycles", c.memory_read_cycles, "from a read of the card's memory to its first word",
          within(1, 1000), ideal(1));
  d.field("memory_write_cycles", c.memory_write_cycles, "from a write to the card's memory until it has been accepted",
          within(0, 1000), ideal(0));
  d.field("bar_base", c.bar_base, "first host address of registers and window", at_most(largest_given));
  d.field("window_size", c.window_size, "bytes of the window onto the card's memory", within(4_KiB, 1_GiB));
  d.object("controller", c.controller, "descriptor controller");
  d.object("read_mover", c.read_mover, "data mover from PCIe to the card's memory");
  d.object("write_mover", c.write_mover, "data mover from the card's memory to PCIe");
  d.object("buffers", c.buffers, "receive buffer of the port");
  d.field("record", c.record, "keep every extent written (tests)");
  d.require(is_paged(c.bar_base) && is_paged(c.window_size),
            "\"bar_base\" and \"window_size\" must be multiples of 4 KiB");
  d.require(c.window_size <= c.memory_size, "\"window_size\" is more than \"memory_size\"");
}

Fpga::Fpga(DeviceArgs args, const FpgaConfig& c)
    : Device(args.sim, args.pool, args.name), config_(c), clock_(c.clock), written_(args.sim, c.record) {
  net::PortSpec p;
  p.name = "pcie";
  p.protocol = "pcie";
  p.role = net::LinkRole::endpoint;
  p.needed = true;
  p.expects = pcie::completions_up_to(c.read_mover.max_read_request);
  p.tx.datapath = net::Datapath{clock_, c.datapath_width};
  p.tx.pipeline.delay = c.transmit_latency;
  p.tx.fifo = 16 * c.datapath_width;
  p.rx.pipeline.delay = c.receive_latency;
  p.rx.trains = true;
  p.rx.buffers = pcie::buffer_credits(c.buffers);
  p.sources = sources;
  add_port(std::move(p));

  for (const Direction d : {Direction::read, Direction::write})
    side(d).module = std::make_unique<DescriptorModule>(
        *this, config_.controller, clock_, [this, d](Writer w, const Completion& done) { completed(d, w, done); });
  const net::Datapath path{clock_, c.datapath_width};
  read_mover_ = std::make_unique<ReadMover>(*this, pool(), config_.read_mover, path,
                                            mover_ports(Direction::read, from_read_mover),
                                            [this](const flow::Packet& packet, std::int32_t i, std::uint64_t address,
                                                   Time when) { return store(packet, i, address, when); });
  write_mover_ = std::make_unique<WriteMover>(
      *this, pool(), config_.write_mover, path, mover_ports(Direction::write, from_write_mover),
      ReadableMemory{clock_.cycles(c.memory_read_cycles),
                     [this](std::uint64_t at, Bytes n, Time read) {
                       return written_.words().read(pool().contents(), at, n, read);
                     },
                     [this](std::uint64_t at, Bytes n) { return written_.words().has(at, n); }},
      args.max_train);
  for (const Direction d : {Direction::read, Direction::write}) side(d).module->connect(mover(d));
}

MoverPorts Fpga::mover_ports(Direction d, int source) {
  return {[this, source](net::Delivery out) { port(0).send(source, std::move(out)); },
          [this, d](const Descriptor& what, Cause signal) { side(d).module->mover_done(what, signal); },
          [this, d](Time from) { side(d).module->mover_free(from); }};
}

DataMover& Fpga::mover(Direction d) const {
  if (d == Direction::read) return *read_mover_;
  return *write_mover_;
}

void Fpga::wired() {
  pcie::check_window(*this, config_.bar_base, Bytes(static_cast<std::int64_t>(Registers::end)) + config_.window_size,
                     "its registers and window are");
}

std::string Fpga::leftover() const {
  for (const Side& s : sides_)
    if (s.module->busy()) return "a descriptor has not been done";
  return written_.words().pending() ? "writes not visible yet" : "";
}

void Fpga::fail(const std::string& what) const { throw std::runtime_error(name() + ": " + what); }

void Fpga::check_memory(std::uint64_t at, Bytes n) const {
  if (at > unsigned_of(config_.memory_size) || unsigned_of(n) > unsigned_of(config_.memory_size) - at)
    fail(fmt::format("{} at {:#x} of a memory of {}", to_string(n), at, to_string(config_.memory_size)));
}

void Fpga::receive(int, net::Delivery&& d) {
  switch (d.packet->header<pcie::Tlp>().type) {
    case pcie::TlpType::memory_write:
      return write(std::move(d));
    case pcie::TlpType::memory_read:
      return answer(std::move(d));
    default:
      pcie::require_success(*this, *d.packet);
      return read_mover_->complete(std::move(d));
  }
}

void Fpga::write(net::Delivery d) {
  const flow::Packet& p = *d.packet;
  for (std::int32_t i = 0; i < p.count; ++i) {
    const std::uint64_t offset = p.address + unsigned_of(p.stride * i) - register_address(0);
    const Time arrived = d.schedule[static_cast<std::size_t>(i)].tail;
    if (offset < Registers::end) {
      if (p.payload_of(i) != 8_B) fail(fmt::format("a write of {} to a register", to_string(p.payload_of(i))));
      write_register(offset, p.last_word_of(i), {arrived, p.id});
      continue;
    }
    const std::uint64_t at = window_ + offset - Registers::end;
    check_memory(at, p.payload_of(i));
    last_store_ = std::max(last_store_, clock_.after(arrived, config_.memory_write_cycles));
    written_.write(p, i, at, last_store_);
  }
  d.slot.release(d.schedule);
}

void Fpga::answer(net::Delivery d) {
  const std::uint64_t offset = d.packet->address - register_address(0);
  const Bytes n(d.packet->header<pcie::Tlp>().length);
  const bool is_register = offset == Registers::window && n == 8_B;
  const bool in_window = offset >= Registers::end && n <= 64_B &&
                         offset - Registers::end + unsigned_of(n) <= unsigned_of(config_.window_size);
  if (!is_register && !in_window)
    return pcie::refuse(*this, 0, from_window, std::move(d), Time::zero(),
                        "only the window and its register answer reads, of at most 64 B");
  const Time arrived = d.schedule.back().tail;
  net::Delivery out;
  out.packet = pcie::completion_with_data(pool(), *d.packet, d.packet->address, n);
  Time ready = clock_.after(arrived, 1);
  if (is_register) {
    out.packet->say_last(window_);
  } else {
    const std::uint64_t at = window_ + offset - Registers::end;
    check_memory(at, n);
    ready = std::max(clock_.after(arrived, config_.memory_read_cycles), last_store_);
    out.packet->contents = written_.words().read(pool().contents(), at, n, ready);
  }
  d.slot.release(net::Schedule::at(ready));
  tell(out.packet->id, d.packet->id, net::Stage::memory, "read", arrived, ready);
  out.schedule = net::Schedule::at(ready);
  port(0).send(from_window, std::move(out));
}

Time Fpga::store(const flow::Packet& p, std::int32_t i, std::uint64_t address, Time when) {
  if (address >= Registers::fetch_base) {
    load_descriptors(p, i, address, when);
    return when;
  }
  check_memory(address, p.payload_of(i));
  last_store_ = std::max(last_store_, clock_.after(when, config_.memory_write_cycles));
  written_.write(p, i, address, last_store_);
  return last_store_;
}

}  // namespace tsunagi::fpga
