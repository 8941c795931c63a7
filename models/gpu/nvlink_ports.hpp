// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "config/describe.hpp"
#include "models/gpu/copy_engine.hpp"
#include "models/gpu/store_unit.hpp"
#include "models/nvlink/endpoint.hpp"
#include "models/pcie/buffers.hpp"

namespace tsunagi::gpu {

struct NvlinkConfig {
  int links = 0;
  Bytes interleave = 256_B;
  Bytes packet = 256_B;
  Bytes width = 256_B;
  int tags = 1024;
  Bytes buffer = 256_KiB;
  Time port_latency = 100_ns;
  pcie::BufferConfig buffers;
};
void describe(NvlinkConfig& c, config::Describer& d);

/// A GPU's NVLink ports, its ports 1 to `links` ("nvlink0", ...), and the copy engines whose copies go by them.
///  - Links that lead to one peer, whether wired to it or by way of switches, are a bundle: byte `o`
///    of the peer's memory is reached by link (o / `interleave`) modulo their number. (NVIDIA
///    interleaves addresses over a bundle's links, Foley and Danskin, IEEE Micro 37(2), 2017: by what rule is not
///    published.)
///  - A peer's memory is at its window's addresses; nothing of it has to be pinned, and no window is looked up.
///  - For each peer, an engine that writes and one that reads: `width` bytes a cycle, in packets that cross no multiple
///    of `packet` and carry no more than the link's max payload. Their flush is one read by each link that was written
///    by. Semaphores go by PCI Express.
class NvlinkPorts {
 public:
  /// `inside`: what copy engines need of the GPU, but for the ways out; `release` sends semaphores.
  NvlinkPorts(net::Device& gpu, flow::PacketPool& pool, const NvlinkConfig& c, const CopyEngineConfig& engines,
              EnginePorts inside, std::uint64_t base);
  static net::PortSpec port_spec(const NvlinkConfig& c);

  /// Finds the peers; throws config::ConfigError for what cannot be wired to such ports.
  void wired();
  /// The links that lead to another GPU; null: none does.
  const nvlink::Behind* way_to(const net::Device& other) const;
  /// The engine for a copy to or from a peer. Throws std::runtime_error if no peer is at its address.
  Engine& engine(const CopyCommand& c);
  /// By which port the multiprocessors store to `address`; none, which is port 0: no peer is there.
  StoreUnit::Way way(std::uint64_t address) const;
  void store(int port, net::Delivery d);
  /// A read behind what a block has stored by that port. Its answer is told to `flushed`.
  void flush(int port, int block, net::Delivery d);
  void set_flushed(std::function<void(int block, Cause by)> flushed) { flushed_ = std::move(flushed); }
  void receive(int port, net::Delivery&& d);
  bool busy() const;

 private:
  std::size_t peer_at(std::uint64_t address) const;
  int link_for(const nvlink::Behind& peer, std::uint64_t address) const;
  std::uint64_t own(std::uint64_t address, Bytes n) const;
  void write(net::Delivery d);
  void answer(int port, net::Delivery d);
  EnginePorts ports_to(std::size_t peer);
  /// The tags of flushes of stores, one a block: behind those of the engines.
  std::size_t first_flush_tag() const {
    return engines_.size() * static_cast<std::size_t>(CopyEngine::tag_numbers(engines_config_));
  }

  net::Device& gpu_;
  flow::PacketPool& pool_;
  const NvlinkConfig& config_;
  CopyEngineConfig engines_config_;
  EnginePorts inside_;
  std::uint64_t base_;
  std::vector<nvlink::Behind> peers_;
  std::vector<std::unique_ptr<CopyEngine>> engines_;  // two a peer; null: not used so far
  std::function<void(int, Cause)> flushed_;
};

}  // namespace tsunagi::gpu
