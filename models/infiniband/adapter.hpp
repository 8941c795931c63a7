// SPDX-License-Identifier: Apache-2.0
#pragma once

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
#include "stats/random.hpp"

namespace tsunagi::infiniband {

/// What every host channel adapter has.
struct AdapterConfig {
  int ports = 1;
  PortLimits limits;
  Frequency clock{250'000'000};
  Time send_latency = 150_ns;
  Time receive_latency = 250_ns;
  Bytes send_buffer = 16_KiB;
  int reads_under_way = 16;
  int virtual_lanes = 1;
  /// The MTU that `lane_blocks` speaks of.
  static constexpr Bytes lane_mtu = 2_KiB;
  int lane_blocks = 256;
  Bytes bar_base = 512_GiB;
  int pages = 16;
  std::int64_t loss_ppm = 0;
};
void describe(AdapterConfig& c, config::Describer& d);

/// A host channel adapter: an I/O bus at port 0, networks at "port1" and "port2"; queue pairs in host memory, told of
/// by doorbells. How it processes them is its kind's affair (Hca, FirmwareHca). Software sets up queues before the
/// run. Queue pairs, completion and receive queues are numbered from 0 on, in the order in which they are made; a queue
/// pair may be given another number (QueuePairConfig).
class Adapter : public net::Device, public dma::Port::Registers {
 public:
  ~Adapter() override;
  void wired() override;
  void receive(int port, net::Delivery&& d) final;
  std::string leftover() const override;

  /// Of a port (1, 2): its place in the network, or, of cards that are cabled to each other, which of the two it is.
  std::uint32_t lid(int port) const { return lids_[static_cast<std::size_t>(port)]; }
  const topo::Network* network(int port) const { return networks_[static_cast<std::size_t>(port)].get(); }
  /// Network ports.
  int network_ports() const { return common_.ports; }
  /// Pages of registers, each for one process.
  int pages() const { return common_.pages; }
  /// How work requests lie in their queues.
  virtual RequestForm form() const { return {}; }

  // Before the run:
  int make_completion_queue(const QueueMemory& m);
  int make_receive_queue(const QueueMemory& m);
  /// Returns its number. Those below a number that is given may be missing, and be made later, so that numbers do not
  /// depend on which pair is used first. Throws std::invalid_argument if there is one of that number.
  int make_queue_pair(QueuePairConfig c);
  void register_memory(std::uint64_t base, Bytes size) { registered_.add(base, size); }
  bool registered(std::uint64_t base, Bytes size) const { return registered_.cover(base, size); }

  /// Where software writes a queue pair's number to; page 0 .. pages - 1 belongs to who writes there.
  std::uint64_t doorbell(int page) const { return page_base(page) + doorbell_at; }
  /// The longest work request that software may write into the card as a whole; 0: none.
  virtual Bytes blueflame_size() const { return {}; }
  /// Where to. Halves take turns.
  std::uint64_t blueflame(int page, int half) const {
    return page_base(page) + blueflame_at + unsigned_of(blueflame_size()) * static_cast<std::uint64_t>(half);
  }
  /// Where software tells it of a `Command`, by its host address.
  std::uint64_t command_register(int page) const { return page_base(page) + command_at; }
  /// Of a context that a command saves; 0: it takes no commands.
  virtual Bytes context_size() const { return {}; }
  /// Queues of each kind that there are; of queue pairs, up to the last.
  int queue_pairs() const { return static_cast<int>(pairs_.size()); }
  int completion_queues() const { return static_cast<int>(completions_.size()); }
  int receive_queues() const { return static_cast<int>(receives_.size()); }
  /// Packets that failed their check, and datagrams that found no receive.
  std::int64_t lost() const { return lost_; }
  std::int64_t retransmissions() const;
  /// Reads of host memory that it has begun in order to send: of requests and data. -1: it does not count them.
  virtual std::int64_t sending_reads() const { return -1; }

 protected:
  static constexpr std::uint64_t page_size = 4096;
  static constexpr std::uint64_t doorbell_at = 32;
  static constexpr std::uint64_t command_at = 64;
  static constexpr std::uint64_t blueflame_at = 2048;

  /// Adds the port of the bus, `bus`, and the network ports, by each of which so many `queues` send.
  Adapter(DeviceArgs& args, const AdapterConfig& c, std::shared_ptr<const net::PortSpec> bus, int queues);

  /// What sends requests of queue pairs, and what answers those of their peers.
  virtual CardParts& requesting() = 0;
  virtual CardParts& responding() = 0;
  /// As which writer of the bus's port they write, for network port `port`.
  virtual int requesting_writer(int port) const = 0;
  virtual int responding_writer(int port) const = 0;
  virtual dma::Port& host() const = 0;
  /// A packet has come by network port `port`.
  virtual void packet_came(int port, net::Delivery d) = 0;

  std::uint64_t page_base(int page) const {
    return unsigned_of(common_.bar_base) + page_size * static_cast<std::uint64_t>(page);
  }
  /// Where in the registers packet `i` of a train was stored.
  std::uint64_t offset_of(const flow::Packet& p, std::int32_t i) const {
    return p.address + unsigned_of(p.stride * i) - unsigned_of(common_.bar_base);
  }
  /// Whether a packet fails its check; then it is gone.
  bool fails_check(net::Delivery& d);
  /// Hands a packet that came by `port` to its queue pair, as of `by`.
  void take(int port, net::Delivery d, const net::Cause& by);
  Requester& requester(std::uint64_t queue_pair) { return *pair(queue_pair).requester; }
  /// A queue pair: what it sends, what it answers.
  struct Pair {
    std::unique_ptr<Requester> requester;
    std::unique_ptr<Responder> responder;
    bool reset = false;  // packets for it are dropped
    bool made() const { return requester != nullptr; }
  };
  /// Throws std::runtime_error if there is none of that number.
  Pair& pair(std::uint64_t number);
  const Pair& pair(std::uint64_t number) const { return const_cast<Adapter*>(this)->pair(number); }
  CompletionQueue& completion_queue(std::uint32_t number) const { return *completions_.at(number); }
  ReceiveQueue& receive_queue(std::uint32_t number) const { return *receives_.at(number); }
  [[noreturn]] void fail(const std::string& what) const;

 private:
  AdapterConfig common_;
  std::vector<std::uint32_t> lids_;
  std::vector<std::shared_ptr<const topo::Network>> networks_;
  Registrations registered_;
  std::vector<std::unique_ptr<CompletionQueue>> completions_;
  std::vector<std::unique_ptr<ReceiveQueue>> receives_;
  std::vector<Pair> pairs_;
  stats::RandomStream losses_;
  std::int64_t lost_ = 0;
};

}  // namespace tsunagi::infiniband
