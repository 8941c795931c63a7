// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "comm/by_rank.hpp"
#include "flow/ring.hpp"
#include "models/libraries/ethernet_datagram/ethernet_node.hpp"
#include "models/libraries/pm/pm_config.hpp"
#include "models/libraries/pm/pm_network.hpp"
#include "models/libraries/pm/pm_packet.hpp"
#include "models/process/core_processor.hpp"
#include "models/protocols/go_back_n.hpp"
#include "stats/random.hpp"

namespace tsunagi::libraries {

/// PM on Ethernet, in the kernel.
struct PmEthernetConfig : EthernetNodeConfig, PmBuffersConfig {
  int window = 16;
  int acknowledge_each = 8;
  Time acknowledge_delay = 1_ms;
  Time retransmission = Time::from_fs(4'800'000'000'000);
  int retries = 100;
  Time timer_jitter;
};
void describe(PmEthernetConfig& c, config::Describer& d);

/// PM/Ethernet: packets of at most a frame each between kernels, of which `window` to a peer are under way (the manual
/// of SCore's pm-ethernet calls that packets sent ahead), and which are sent again from the oldest one on when nothing
/// has been acknowledged for so long. A message is a packet; writes and reads are as many as it takes, and kernels copy
/// (kRMA). What has been taken is acknowledged by what goes to the peer anyway, or by a packet of its own when several
/// are owed, or when nothing has gone there for a while. Nothing is queued twice for the card: what still waits there
/// is not sent again, and an acknowledgement goes with any frame that does (assumed: its source is not published, but a
/// kernel has one buffer a packet).
class PmEthernet final : public PmNetwork {
 public:
  /// Throws config::ConfigError if the machine lacks nodes with cards, or a message fits into no frame.
  PmEthernet(const PmEthernetConfig& c, Machine& m);

  int ranks() const override { return static_cast<int>(nodes_.size()); }
  const process::HostProcess& process(int rank) const override { return nodes_[rank]; }
  comm::Processor& processor() override { return processor_; }
  std::uint64_t send_buffer(int rank, int i) const override {
    return ranks_[rank].outgoing.base + unsigned_of(config_.longest) * static_cast<std::uint64_t>(i);
  }
  bool room(int rank, int peer) const override;
  void send(Fiber& f, int rank, int peer, std::uint64_t address, Bytes n, int buffer) override;
  void transfer(Fiber& f, int rank, int peer, Transfer t, std::uint64_t local, std::uint64_t remote, Bytes n,
                int number) override;
  std::optional<Done> take_done(Fiber& f, int rank) override;
  std::optional<Received> take_received(Fiber& f, int rank) override;
  void release(Fiber& f, int rank, int buffer) override;
  void wait(Fiber& f, int rank, Time deadline) override;
  Bytes receive_memory(int /*rank*/) const override { return config_.receive_memory; }
  std::vector<comm::Ceiling> ceilings(int from, int to) const override;
  std::string advice() const override;
  std::int64_t lost() const override { return sent_again_; }

 private:
  /// What software has asked for, of which packets are made one by one.
  struct Operation {
    PmPacket what;            // its first packet
    std::uint64_t local = 0;  // data that it brings
    Bytes size;
    Bytes cut;       // of them, into packets
    int number = 0;  // as in Done
  };
  /// One that has been made, until it is acknowledged.
  struct Packet {
    PmPacket what;
    std::uint64_t local = 0;
    int number = 0;  // as in Done
  };
  /// What a kernel knows of a peer.
  struct Peer {
    explicit Peer(int window) : sent(window) {}
    protocols::GoBackNSender sent;
    protocols::GoBackNReceiver came;
    flow::Ring<Operation> waiting;  // the first one may have packets under way
    flow::Ring<Packet> under_way;
    std::uint32_t cursor = 0;  // number of the packet that goes next: of one under way when it goes again
    int at_card = 0;           // frames that wait to be handed to the card, and how many of them are packets
    int packets_at_card = 0;
    int retries = 0;
    Time again = Time::max();  // when they are sent again, and for observers since when and by which step:
    Time again_since;
    std::uint64_t again_step = 0;
    Time owed = Time::max();  // when what is owed is acknowledged
  };
  /// A frame that is to be handed to the card, by who has the card: others leave theirs (as Linux' queues do).
  struct Frame {
    int peer = 0;
    PmPacket what;
    std::uint64_t local = 0;
  };
  /// Points in time at which something is to be done for a peer, and the fiber that waits for the first.
  struct Alarms {
    std::set<std::pair<Time, int>> all;
    Event first;
  };
  struct Ends {
    comm::ByRank<std::unique_ptr<Peer>> peers;
    process::Area outgoing;
    process::Area incoming;
    process::Area events;   // the word that counts what programs have not looked at
    std::vector<int> free;  // receive buffers
    flow::Ring<Received> received;
    flow::Ring<Done> done;
    std::uint64_t told = 0;   // events, by the kernel
    std::uint64_t taken = 0;  // by the program
    flow::Ring<Frame> frames;
    bool sending = false;
    Alarms again;
    Alarms owed;
  };

  Peer& peer(int rank, int other);
  void post(Fiber& f, int rank, int other, const Operation& o);
  /// Sends packets, as many as the window lets pass.
  void pump(Fiber& f, int rank, int other);
  /// Makes the next packet of what waits, if the window lets it pass.
  bool make_packet(Fiber& f, int rank, int other);
  void hand_on(Fiber& f, int rank, const Frame& frame);
  void acknowledge(Fiber& f, int rank, int other);
  // As the kernel:
  void took(Fiber& f, int rank, const EthernetNode::Frame& frame);
  /// Whether there was room for it.
  bool take_data(Fiber& f, int rank, int other, const PmPacket& p, std::uint64_t data);
  void acknowledged(Fiber& f, int rank, int other, std::uint32_t expected);
  void tell(Fiber& f, int rank);
  void send_again(Fiber& f, int rank, int other);
  /// From now on, or not at all while nothing is under way.
  void set_retransmission(Fiber& f, int rank, int other);
  using Action = void (PmEthernet::*)(Fiber& f, int rank, int other);
  /// A timer of the kernel's: sleeps until the first alarm of `all`, or a little longer, and does `what`, for ever.
  void spawn_timer(Machine& m, int rank, const std::string& name, Alarms Ends::*all, Time Peer::*when, Action what);
  void watch(Fiber& f, int rank, stats::RandomStream late, Alarms Ends::*all, Time Peer::*when, Action what);
  void set_alarm(int rank, int other, Alarms Ends::*all, Time Peer::*when, Time at);

  PmEthernetConfig config_;
  comm::ByRank<EthernetNode> nodes_;
  comm::ByRank<Ends> ranks_;
  process::CoreProcessor processor_;
  std::int64_t sent_again_ = 0;
};

}  // namespace tsunagi::libraries
