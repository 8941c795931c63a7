// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/gpu/bar.hpp"
#include "models/gpu/channel.hpp"
#include "models/gpu/compute.hpp"
#include "models/gpu/compute_engine.hpp"
#include "models/gpu/copy_engine.hpp"
#include "models/gpu/nvlink_ports.hpp"
#include "models/gpu/store_unit.hpp"
#include "models/host/memory/written.hpp"
#include "models/pcie/buffers.hpp"
#include "models/pcie/completer.hpp"

namespace tsunagi::gpu {

struct GpuConfig {
  Bytes memory_size = 5_GiB;
  Bytes bar_base = 256_GiB;
  Bytes bar_size = 256_MiB;
  Bytes page_size = 64_KiB;
  Bytes register_size = 16_MiB;
  Time port_latency = 70_ns;
  Time translation_latency = 50_ns;
  Time read_latency = 100_ns;
  Time write_latency = 50_ns;
  CopyEngineConfig copy_engines;
  ComputeConfig compute;
  StoreUnitConfig stores;
  int streams = 32;
  NvlinkConfig nvlink;
  pcie::BufferConfig buffers;
  bool record = false;
};
void describe(GpuConfig& c, config::Describer& d);

/// A GPU as the PCIe bus sees it: memory that is shown, page by page, in a window of addresses (BAR1), behind it the
/// registers (BAR0) of its channels: one of each copy engine, whose copies it runs, and those of streams, for commands
/// of any engine (copies out of the memory go by the first one, those into it by the last). Keeps the bytes that
/// packets' contents say, not bulk data.
class Gpu final : public net::Device, public nvlink::Endpoint {
 public:
  Gpu(DeviceArgs args, const GpuConfig& c);
  void wired() override;
  void receive(int port, net::Delivery&& d) override;
  std::string leftover() const override;

  const GpuConfig& config() const { return config_; }
  /// Shows `size` bytes from `offset` of the memory on in the window and returns their host address; before the run.
  /// What is shown already keeps its address. Throws config::ConfigError if the bytes do not exist or the window is
  /// full.
  std::uint64_t pin(Bytes offset, Bytes size);
  /// Its NVLink ports; null: it has none.
  const NvlinkPorts* nvlink() const { return nvlink_.get(); }
  pcie::Window nvlink_window() const override;
  /// Host address of a register (gpu::Registers).
  std::uint64_t register_address(std::uint64_t offset) const;
  /// The word of eight bytes of the memory that ends at `end`.
  host::Word& word_ending_at(std::uint64_t end) { return written_.words().ending_at(end); }
  /// What `n` bytes of the memory from `offset` on say now; 0 where nothing is kept.
  std::vector<std::uint8_t> bytes(std::uint64_t offset, Bytes n) const { return written_.words().bytes(offset, n); }
  /// What kernels store by, to the bus.
  StoreUnit& stores();
  /// Who runs the programs of kernels that have one; before the run. And: the one that runs is over.
  void set_programs(Programs& p) { multiprocessors().set_programs(p); }
  void program_ended() { multiprocessors().program_ended(); }
  /// With `record`: every write, by its place in the memory.
  const std::vector<host::Extent>& extents() const { return written_.extents(); }

 private:
  /// Place in the memory of a host address. Throws std::runtime_error if nothing is pinned there.
  std::uint64_t memory_at(std::uint64_t address) const;
  void write(net::Delivery d);
  void write_register(std::uint64_t offset, net::Delivery d);
  void complete(net::Delivery d);
  /// What a copy engine brought.
  void store(const flow::Packet& p, std::int32_t i, std::uint64_t at, Time when);
  // Made when something comes for them: most of a large machine's GPUs copy and compute nothing.
  CopyEngine& engine(std::size_t number);
  ComputeEngine& multiprocessors();
  Channel& channel(std::size_t number);
  /// Which engine runs a command of that channel. Throws std::runtime_error: none does.
  Engine& engine_of(std::size_t channel, const Command& c);
  EnginePorts engine_ports(int number);
  EnginePorts inside();
  void answer(net::Delivery request);

  GpuConfig config_;
  int max_train_;
  pcie::Completer completer_;
  BarMap bar_;
  host::Written written_;
  Time last_store_;  // until when words that engines or writes brought get visible
  // Null: not used so far.
  std::vector<std::unique_ptr<CopyEngine>> engines_;
  std::unique_ptr<ComputeEngine> multiprocessors_;
  std::unique_ptr<StoreUnit> stores_;
  std::vector<std::unique_ptr<Channel>> channels_;
  std::unique_ptr<NvlinkPorts> nvlink_;
};

}  // namespace tsunagi::gpu
