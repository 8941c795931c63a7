// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/dma/port.hpp"
#include "models/infiniband/queue_pair.hpp"
#include "models/infiniband/receive_queue.hpp"
#include "models/infiniband/requester.hpp"
#include "models/infiniband/responder.hpp"
#include "models/infiniband/send_engine.hpp"
#include "models/pcie/buffers.hpp"
#include "stats/random.hpp"

namespace tsunagi::infiniband {

struct HcaConfig {
  int ports = 1;
  PortLimits limits;
  Frequency clock{250'000'000};
  int decode_cycles = 10;
  int context_cycles = 0;
  int read_cycles = 0;
  int packet_cycles = 7;
  int build_cycles = 4;
  Time send_latency = 150_ns;
  Time receive_latency = 250_ns;
  Time pcie_latency = 50_ns;
  Bytes send_buffer = 16_KiB;
  Bytes request_fetch = 256_B;
  Bytes request_ahead = 2_KiB;
  Bytes max_read_request = 512_B;
  int read_tags = 32;
  int reads_under_way = 16;
  int ask_interval = 256;
  Bytes blueflame = 256_B;
  int virtual_lanes = 1;
  /// The MTU that `lane_blocks` speaks of.
  static constexpr Bytes lane_mtu = 2_KiB;
  int lane_blocks = 256;
  Bytes bar_base = 512_GiB;
  int pages = 16;
  std::int64_t loss_ppm = 0;
  pcie::BufferConfig buffers;
};
void describe(HcaConfig& c, config::Describer& d);

/// An InfiniBand host channel adapter on PCIe (port "pcie", networks at "port1" and "port2"): queue pairs in host
/// memory, told of by doorbells or written into the card (BlueFlame); packets are made and taken in as a whole.
/// Software sets up queues before the run. Queue pairs, completion and receive queues are numbered from 0 on, in the
/// order in which they are made.
class Hca final : public net::Device, public dma::Port::Registers {
 public:
  Hca(DeviceArgs args, const HcaConfig& c);
  ~Hca() override;
  void wired() override;
  void receive(int port, net::Delivery d) override;
  std::string leftover() const override;

  const HcaConfig& config() const { return config_; }
  /// Of a port (1, 2): its place in the network, or, of cards that are cabled to each other, which of the two it is.
  std::uint32_t lid(int port) const { return lids_[static_cast<std::size_t>(port)]; }
  const topo::Network* network(int port) const { return networks_[static_cast<std::size_t>(port)].get(); }

  // Before the run:
  int make_completion_queue(const QueueMemory& m);
  int make_receive_queue(const QueueMemory& m);
  /// The queue pair's number is told to peers before they are made: it is the next one, `next_queue_pair`.
  int make_queue_pair(const QueuePairConfig& c);
  int next_queue_pair() const { return static_cast<int>(pairs_.size()); }
  void register_memory(std::uint64_t base, Bytes size) { registered_.add(base, size); }

  /// Where software writes a queue pair's number to, and where a request as a whole; page 0 .. pages - 1 belongs to who
  /// writes there. Halves take turns.
  std::uint64_t doorbell(int page) const { return page_base(page) + doorbell_at; }
  std::uint64_t blueflame(int page, int half) const {
    return page_base(page) + blueflame_at + unsigned_of(config_.blueflame) * static_cast<std::uint64_t>(half);
  }
  /// Packets that failed their check, and datagrams that found no receive.
  std::int64_t lost() const { return lost_; }
  std::int64_t retransmissions() const;

 private:
  static constexpr std::uint64_t page_size = 4096;
  static constexpr std::uint64_t doorbell_at = 32;
  static constexpr std::uint64_t blueflame_at = 2048;
  struct Pair {
    std::unique_ptr<Requester> requester;
    std::unique_ptr<Responder> responder;
    std::uint32_t peer = 0;
  };
  /// A request that is being written into the card.
  struct Incoming {
    std::vector<std::uint8_t> bytes;
    Bytes came;
    flow::Contents contents;
  };
  std::uint64_t page_base(int page) const {
    return unsigned_of(config_.bar_base) + page_size * static_cast<std::uint64_t>(page);
  }
  void stored(const flow::Packet& p, std::int32_t i, const net::Cause& by) override;
  void doorbell_written(std::uint64_t value, const net::Cause& by);
  void blueflame_written(const flow::Packet& p, std::int32_t i, std::uint64_t offset, const net::Cause& by);
  void packet_came(int port, net::Delivery d);
  Pair& pair(std::uint64_t number);
  [[noreturn]] void fail(const std::string& what) const;

  HcaConfig config_;
  Clock clock_;
  std::vector<std::uint32_t> lids_{0};
  std::vector<std::shared_ptr<const topo::Network>> networks_{nullptr};
  std::unique_ptr<dma::Port> host_;
  std::unique_ptr<SendEngine> engine_;
  AtomicWords words_;
  std::unique_ptr<CardParts> parts_;
  Registrations registered_;
  std::vector<std::unique_ptr<CompletionQueue>> completions_;
  std::vector<std::unique_ptr<ReceiveQueue>> receives_;
  std::vector<Pair> pairs_;
  std::vector<Incoming> incoming_;  // by page and half
  stats::RandomStream losses_;
  std::int64_t lost_ = 0;
};

}  // namespace tsunagi::infiniband
