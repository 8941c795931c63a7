// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/describe.hpp"
#include "fiber/fiber.hpp"
#include "machine/machine.hpp"
#include "models/fpga/descriptor_controller.hpp"
#include "models/fpga/dma_config.hpp"
#include "models/fpga/read_mover.hpp"
#include "models/fpga/registers.hpp"
#include "models/fpga/write_mover.hpp"
#include "models/host/memory/written.hpp"
#include "models/pcie/buffers.hpp"

namespace tsunagi::fpga {

struct FpgaConfig {
  Frequency clock{250'000'000};
  Bytes datapath_width = 32_B;
  Time transmit_latency = 160_ns;
  Time receive_latency = 170_ns;
  Frequency kernel_clock{240'000'000};
  Bytes memory_size = 4_GiB;
  int memory_read_cycles = 40;
  int memory_write_cycles = 10;
  Bytes bar_base = 512_GiB;
  Bytes window_size = 64_KiB;
  DescriptorControllerConfig controller;
  ReadMoverConfig read_mover;
  WriteMoverConfig write_mover;
  pcie::BufferConfig buffers;
  bool record = false;
};
void describe(FpgaConfig& c, config::Describer& d);

/// An FPGA card whose PCIe side is a hard IP with a DMA engine of two data movers and a descriptor controller that host
/// and kernels on the FPGA share (paper 003: Arria 10 Hard IP for PCI Express, Avalon-MM with DMA). Keeps the bytes
/// that packets' contents say, not bulk data.
class Fpga final : public net::Device {
 public:
  Fpga(DeviceArgs args, const FpgaConfig& c);
  void wired() override;
  void receive(int port, net::Delivery&& d) override;
  std::string leftover() const override;

  const FpgaConfig& config() const { return config_; }
  Clock kernel_clock() const { return Clock(config_.kernel_clock); }
  /// A kernel writes a descriptor to its I/O channel; returns when the FIFO behind it has taken it. Throws
  /// std::invalid_argument for what the controller refuses.
  void write_descriptor(Fiber& f, Direction way, const DescriptorWords& words);
  /// A kernel reads the next completion of its descriptors from its I/O channel; returns when there is one.
  Completion read_status(Fiber& f, Direction way);
  /// Host address of a register, or of byte `offset` of the window.
  std::uint64_t register_address(std::uint64_t offset) const { return unsigned_of(config_.bar_base) + offset; }
  std::uint64_t window_address(std::uint64_t offset) const { return register_address(Registers::end) + offset; }
  /// With `record`: every write, by its place in the memory.
  const std::vector<host::Extent>& extents() const { return written_.extents(); }

 private:
  /// What belongs to one direction.
  struct Side {
    std::unique_ptr<DescriptorModule> module;
    flow::Ring<Completion> statuses;  // of kernels' descriptors
    Event status_there;
    std::uint64_t table = 0;                        // the host's
    int running = 0;                                // descriptors of it that have not been done
    std::vector<std::optional<Descriptor>> loaded;  // of it
    std::size_t next = 0;                           // that has not been put into the FIFO
  };
  Side& side(Direction d) { return sides_[static_cast<std::size_t>(d)]; }
  const Side& side(Direction d) const { return sides_[static_cast<std::size_t>(d)]; }
  DataMover& mover(Direction d) const;

  // Queues at the port.
  enum Source : int { from_read_mover, from_write_mover, from_controller, from_window, sources };

  MoverPorts mover_ports(Direction d, int source);
  void completed(Direction d, Writer w, const Completion& c);
  /// What the read mover brought: data, or descriptors of the host's table.
  Time store(const flow::Packet& p, std::int32_t i, std::uint64_t address, Time when);
  void load_descriptors(const flow::Packet& p, std::int32_t i, std::uint64_t address, Time when);
  void write(net::Delivery d);
  void write_register(std::uint64_t offset, std::uint64_t value, Cause by);
  void run_table(Direction d, int count, Cause by);
  void answer(net::Delivery d);
  [[noreturn]] void fail(const std::string& what) const;
  /// The card's memory has these bytes.
  void check_memory(std::uint64_t at, Bytes n) const;

  FpgaConfig config_;
  Clock clock_;
  host::Written written_;
  Time last_store_;  // until when what was written gets visible
  std::uint64_t window_ = 0;
  std::array<Side, 2> sides_;
  std::unique_ptr<ReadMover> read_mover_;
  std::unique_ptr<WriteMover> write_mover_;
};

}  // namespace tsunagi::fpga
