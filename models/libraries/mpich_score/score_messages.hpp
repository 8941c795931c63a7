// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "comm/by_rank.hpp"
#include "comm/facets/protocols.hpp"
#include "comm/messages/transport.hpp"
#include "comm/steps.hpp"
#include "models/libraries/pm/pm_config.hpp"
#include "models/libraries/pm/pm_network.hpp"
#include "models/protocols/matching_queues.hpp"
#include "models/protocols/pin_down_cache.hpp"
#include "models/protocols/rendezvous.hpp"
#include "models/protocols/unexpected_queue.hpp"

namespace tsunagi::libraries {

/// Two-sided messages over PM.
struct ScoreMessagesConfig {
  Bytes eager_limit = 4_KiB;
  int unexpected = 1024;
  std::int64_t send_cycles = 500;
  std::int64_t arrival_cycles = 500;
  std::int64_t lookup_cycles = 300;
  Time register_call = 5_us;
  Time register_page = 500_ns;
  Bytes pinned = 256_MiB;
};
void describe(ScoreMessagesConfig& c, config::Describer& d);

/// Two-sided messages over PM, as MPICH has them on SCore: a short one is copied into a send buffer behind its
/// envelope, and out of the receive buffer when a receive has been posted, else aside. Of a longer one the envelope
/// comes alone; the receiver says where the bytes go to, the sender writes them there (zero copy), and a message behind
/// them says that they are there. What is written from and to is registered first, and stays so
/// (protocols::PinDownCache). Paper 004, 7, has MPICH over PM, and zero copy with such a cache is MPICH-PM's; which of
/// PM's calls carries what, and the envelope's form, are this model's.
class ScoreMessages final : public comm::Transport {
 public:
  /// All outlive this. Takes its memory from the end of that of programs. Throws config::ConfigError if that is too
  /// small, or a message with its envelope fits no buffer of PM's.
  ScoreMessages(const ScoreMessagesConfig& c, const PmBuffersConfig& buffers, PmNetwork& network,
                const comm::Steps& step);

  /// What is left of programs' memory at each rank.
  Bytes user_memory() const { return user_memory_; }
  comm::Protocol protocol(const comm::Buffer& b) const;

  Bytes eager_limit() const override { return config_.eager_limit; }
  bool room(int from, int to) const override { return !states_[from].free.empty() && network_.room(from, to); }
  void post(Fiber& f, int from, int to, const comm::Envelope& e, const comm::Buffer* b,
            const comm::Request* request) override;
  std::uint64_t offer(Fiber& f, int from, const comm::Buffer& b) override;
  std::uint64_t expose(Fiber& f, int rank, const comm::Envelope& e, const comm::Buffer& b) override;
  void put(Fiber& f, int from, int to, const comm::Buffer& b, std::uint64_t target, const comm::Envelope& last,
           const comm::Request& request) override;
  std::optional<comm::Arrival> next(Fiber& f, int rank) override;
  void wait(Fiber& f, int rank, const std::vector<Event*>& events, Time until) override;
  void take(Fiber& f, int rank, const comm::Arrival& a, const comm::Buffer& b) override;
  void set_aside(Fiber& f, int rank, comm::Arrival& a) override;
  bool needs_place(int /*rank*/, const comm::Arrival& a) const override { return a.held == comm::Held::as_it_came; }
  void visit(Fiber& f, int rank, Queue q, const std::vector<std::uint32_t>& entries) override;

 private:
  /// A write that is under way. Who sends is done when the bytes have been taken from where they lie and the message
  /// that says so is on its way, whenever that is acknowledged: a send is over when its buffer may be used again
  /// (MPI 1.1, 3.4). Paper 004 does not say when MPICH over PM takes it to be.
  struct Write {
    comm::Request request;
    bool done = false;
    bool told = false;  // the peer
  };
  /// A long message that leaves.
  struct Job {
    int peer = 0;
    std::uint64_t address = 0;
    Bytes size;
    std::uint64_t target = 0;
    comm::Envelope last;
    comm::Request request;
    int write = -1;  // not yet
  };
  struct State {
    std::vector<int> free;  // send buffers
    std::vector<Write> writes;
    std::vector<int> free_writes;
    std::vector<PmNetwork::Received> received;  // by receive buffer: what lies there
    protocols::Leaving<Job> jobs;
    protocols::PinDownCache pinned;
    std::optional<protocols::UnexpectedQueue> unexpected;
    process::Area queues;
  };
  const process::HostProcess& process(int rank) const { return network_.process(rank); }
  std::uint64_t address(int rank, Bytes offset) const { return process(rank).user_base() + unsigned_of(offset); }
  /// Takes back what has left.
  void collect(Fiber& f, int rank);
  void go_on(Fiber& f, int rank);
  bool write(Fiber& f, int rank, Job& job);
  void complete(Fiber& f, int rank, int write);
  /// There is room.
  void send(Fiber& f, int from, int to, const comm::Envelope& e, const comm::Buffer* b);
  void pin(Fiber& f, int rank, const comm::Buffer& b);

  ScoreMessagesConfig config_;
  PmNetwork& network_;
  const comm::Steps& step_;
  comm::ByRank<State> states_;
  Bytes user_memory_;
};

}  // namespace tsunagi::libraries
