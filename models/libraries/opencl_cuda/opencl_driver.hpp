// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "config/describe.hpp"
#include "fiber/fiber.hpp"
#include "models/fpga/fpga.hpp"
#include "models/host/core.hpp"
#include "models/host/memory/memory.hpp"
#include "models/process/memory_plan.hpp"

namespace tsunagi::libraries {

struct OpenClDriverConfig {
  std::int64_t enqueue_cycles = 16000;
  std::int64_t finish_cycles = 2000;
  Bytes dma_threshold = 1_KiB;
  Bytes dma_alignment = 64_B;
  std::int64_t pin_cycles = 150;
  std::int64_t descriptor_cycles = 40;
  std::int64_t table_cycles = 600;
  std::int64_t interrupt_cycles = 8000;
};
void describe(OpenClDriverConfig& c, config::Describer& d);

/// A process's OpenCL runtime and driver for an FPGA card: blocking reads and writes of buffers in the card's memory,
/// as the driver of Intel's board support packages does
/// them (acl_pcie_device.cpp: DMA or window; aclpci_dma.c: pages, descriptors, tables). The user's pages are pinned and
/// the card's DMA engine moves them where they lie, a descriptor a page of 4 KiB, a table of 128 at a time, or of as
/// many as its FIFO holds; what is short, or lies at no multiple of 64 B, goes through the card's window by the core.
class OpenClDriver {
 public:
  /// `area` of `memory` holds its tables.
  OpenClDriver(const OpenClDriverConfig& c, host::Core& core, host::Memory& memory, const process::Area& area,
               fpga::Fpga& card);
  static constexpr Bytes area_size = 16_KiB;

  /// clEnqueueReadBuffer, or clEnqueueWriteBuffer: `n` bytes between byte `in_card` of the card's memory and `address`.
  void read(Fiber& f, std::uint64_t in_card, std::uint64_t address, Bytes n);
  void write(Fiber& f, std::uint64_t in_card, std::uint64_t address, Bytes n);
  /// Of a write, those that may not have come to the card when it returns: what goes through the window.
  Bytes most_left_on_the_way() const { return std::max(config_.dma_threshold, config_.dma_alignment); }

 private:
  void move(Fiber& f, fpga::Direction way, std::uint64_t in_card, std::uint64_t address, Bytes n);
  /// Bytes of a transfer that the DMA engine moves.
  Bytes by_dma(std::uint64_t in_card, std::uint64_t address, Bytes n) const;
  void run_tables(Fiber& f, fpga::Direction way, std::uint64_t in_card, std::uint64_t address, Bytes n);
  void run_table(Fiber& f, fpga::Direction way, std::uint64_t in_card, std::uint64_t address, Bytes n);
  void through_window(Fiber& f, fpga::Direction way, std::uint64_t in_card, Bytes n);
  /// Has the card's window show its memory from `segment` on.
  void show(Fiber& f, std::uint64_t segment);
  /// One access of the core to the window.
  void access(Fiber& f, fpga::Direction way, std::uint64_t offset, Bytes n);
  void set(Fiber& f, std::uint64_t reg, std::uint64_t value) {
    core_.store(f, card_.register_address(reg), 8_B, value, 0);
  }

  OpenClDriverConfig config_;
  host::Core& core_;
  host::Memory& memory_;
  process::Area area_;
  fpga::Fpga& card_;
  std::optional<std::uint64_t> segment_;  // that the window shows
};

}  // namespace tsunagi::libraries
