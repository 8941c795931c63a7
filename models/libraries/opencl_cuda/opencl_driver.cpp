// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/opencl_cuda/opencl_driver.hpp"

#include <algorithm>

#include "flow/segmentation.hpp"

namespace tsunagi::libraries {

namespace {

constexpr Bytes host_page = 4_KiB;
constexpr Bytes pinned_at_once = 1_MiB;

}  // namespace

void describe(OpenClDriverConfig& c, config::Describer& d) {
  using namespace config;
  constexpr std::int64_t most = 1'000'000;
  const auto cycles = [&](const char* name, std::int64_t& value, const char* doc) {
    d.field(name, value, doc, within(std::int64_t{0}, most), ideal(std::int64_t{0}));
  };
  cycles("enqueue_cycles", c.enqueue_cycles,
         "core cycles of a call until its transfer begins: checks, command queue, the runtime's own thread");
  cycles("finish_cycles", c.finish_cycles, "core cycles from a transfer's end to the return of the call");
  d.field("dma_threshold", c.dma_threshold, "shorter transfers go through the card's window", within(4_B, 1_GiB));
  d.field("dma_alignment", c.dma_alignment, "so do those at other addresses, and what is left over at the end",
          one_of({4, 8, 16, 32, 64}));
  cycles("pin_cycles", c.pin_cycles, "core cycles to pin and map a page of 4 KiB");
  cycles("descriptor_cycles", c.descriptor_cycles, "core cycles to make a descriptor, beside its stores");
  cycles("table_cycles", c.table_cycles, "core cycles to start a table of descriptors, beside the registers");
  cycles("interrupt_cycles", c.interrupt_cycles,
         "core cycles from a table's last status to what comes then: interrupt, work queue, wake-up");
}

OpenClDriver::OpenClDriver(const OpenClDriverConfig& c, host::Core& core, host::Memory& memory,
                           const process::Area& area, fpga::Fpga& card)
    : config_(c), core_(core), memory_(memory), area_(area), card_(card) {}

void OpenClDriver::read(Fiber& f, std::uint64_t in_card, std::uint64_t address, Bytes n) {
  move(f, fpga::Direction::write, in_card, address, n);  // the card writes
}

void OpenClDriver::write(Fiber& f, std::uint64_t in_card, std::uint64_t address, Bytes n) {
  move(f, fpga::Direction::read, in_card, address, n);
}

Bytes OpenClDriver::by_dma(std::uint64_t in_card, std::uint64_t address, Bytes n) const {
  const std::uint64_t alignment = unsigned_of(config_.dma_alignment);
  if (n < config_.dma_threshold || in_card % alignment != 0 || address % alignment != 0) return Bytes::zero();
  return config_.dma_alignment * (n / config_.dma_alignment);
}

void OpenClDriver::move(Fiber& f, fpga::Direction way, std::uint64_t in_card, std::uint64_t address, Bytes n) {
  core_.execute(f, "OpenCL: enqueue", config_.enqueue_cycles);
  const Bytes engine = by_dma(in_card, address, n);
  if (engine > Bytes::zero()) run_tables(f, way, in_card, address, engine);
  if (engine < n) through_window(f, way, in_card + unsigned_of(engine), n - engine);
  core_.execute(f, "OpenCL: finish", config_.finish_cycles);
}

void OpenClDriver::run_tables(Fiber& f, fpga::Direction way, std::uint64_t in_card, std::uint64_t address, Bytes n) {
  const Bytes table = host_page * std::min(fpga::Registers::descriptors, card_.config().controller.host_fifo);
  Bytes pinned;
  for (Bytes done; done < n;) {
    // A table ends at a page; pages are pinned ahead.
    const std::uint64_t at = address + unsigned_of(done);
    const Bytes most = table - Bytes(static_cast<std::int64_t>(at % unsigned_of(host_page)));
    const Bytes piece = std::min(most, n - done);
    if (done + piece > pinned) {
      const Bytes more = std::min(pinned_at_once, n - pinned);
      core_.execute(f, "OpenCL: pin pages", config_.pin_cycles * units_of(more, host_page));
      pinned += more;
    }
    run_table(f, way, in_card + unsigned_of(done), at, piece);
    done += piece;
  }
}

void OpenClDriver::run_table(Fiber& f, fpga::Direction way, std::uint64_t in_card, std::uint64_t address, Bytes n) {
  int count = 0;
  for (Bytes done; done < n; ++count) {
    const std::uint64_t at = address + unsigned_of(done);
    const Bytes piece = flow::next_piece(at, n - done, host_page, host_page);
    const std::uint64_t card = in_card + unsigned_of(done);
    const fpga::Descriptor d = way == fpga::Direction::read ? fpga::Descriptor{at, card, piece, count}
                                                            : fpga::Descriptor{card, at, piece, count};
    core_.execute(f, "OpenCL: make a descriptor", config_.descriptor_cycles);
    const fpga::DescriptorWords words = encode(d, fpga::Writer::host);
    std::array<std::uint8_t, 32> bytes{};
    for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k] = static_cast<std::uint8_t>(words[k / 4] >> 8 * (k % 4));
    core_.store(f, area_.base + fpga::Registers::of_descriptor(count), flow::ByteView{bytes.data(), bytes.size()});
    done += piece;
  }
  core_.execute(f, "OpenCL: start the table", config_.table_cycles);
  const std::uint64_t last = area_.base + fpga::Registers::of_status(count - 1) + 4;
  memory_.forget(memory_.word_ending_at(last, 4_B));
  const std::uint64_t block = static_cast<std::uint64_t>(way) * fpga::Registers::block;
  set(f, block + fpga::Registers::table, area_.base);
  set(f, block + fpga::Registers::last, static_cast<std::uint64_t>(count) - 1);
  core_.poll(f, memory_, last, 4_B, [](std::uint64_t said) { return said == 1; });
  core_.execute(f, "OpenCL: interrupt", config_.interrupt_cycles);
}

void OpenClDriver::show(Fiber& f, std::uint64_t segment) {
  if (segment_ == segment) return;
  // Neither what came before nor what follows may pass the change: the driver reads the register before and after.
  core_.load(f, card_.register_address(fpga::Registers::window), 8_B);
  set(f, fpga::Registers::window, segment);
  core_.load(f, card_.register_address(fpga::Registers::window), 8_B);
  segment_ = segment;
}

void OpenClDriver::access(Fiber& f, fpga::Direction way, std::uint64_t offset, Bytes n) {
  if (way == fpga::Direction::write)
    core_.load(f, card_.window_address(offset), n);
  else
    core_.store(f, card_.window_address(offset), n, 0, 0);
}

void OpenClDriver::through_window(Fiber& f, fpga::Direction way, std::uint64_t in_card, Bytes n) {
  const Bytes window = card_.config().window_size;
  for (Bytes done; done < n;) {
    const std::uint64_t at = in_card + unsigned_of(done);
    const std::uint64_t offset = at % unsigned_of(window);
    show(f, at - offset);
    // Words of eight bytes; what is no whole one, byte by byte.
    const Bytes word = flow::next_piece(at, n - done, 8_B, 8_B);
    const Bytes piece = word == 8_B ? word : 1_B;
    access(f, way, offset, piece);
    done += piece;
  }
}

}  // namespace tsunagi::libraries
