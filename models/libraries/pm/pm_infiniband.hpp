// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "comm/by_rank.hpp"
#include "flow/ring.hpp"
#include "machine/machine.hpp"
#include "models/libraries/pm/card_commands.hpp"
#include "models/libraries/pm/pm_config.hpp"
#include "models/libraries/pm/pm_network.hpp"
#include "models/libraries/verbs/verbs_node.hpp"
#include "models/process/core_processor.hpp"

namespace tsunagi::libraries {

/// PM/InfiniBand-FJ: a queue pair for each two nodes. Each message takes a receive buffer, which is one of those that
/// all of a node's queue pairs share (ASQP and SRQP of paper 004, 5.4) or belongs to its queue pair alone (RCQP).
class PmInfiniBand final : public PmNetwork, private comm::Checkpoints {
 public:
  /// Throws config::ConfigError if the machine lacks nodes with adapters, or the buffers do not fit its memories.
  PmInfiniBand(const PmInfiniBandConfig& c, Machine& m);

  int ranks() const override { return static_cast<int>(nodes_.size()); }
  const process::HostProcess& process(int rank) const override { return nodes_[rank]; }
  comm::Processor& processor() override { return processor_; }
  bool room(int rank, int peer) const override;
  void send(Fiber& f, int rank, int peer, std::uint64_t address, Bytes n, int buffer) override;
  void transfer(Fiber& f, int rank, int peer, Transfer t, std::uint64_t local, std::uint64_t remote, Bytes n,
                int number) override;
  std::optional<Done> take_done(Fiber& f, int rank) override;
  std::optional<Received> take_received(Fiber& f, int rank) override;
  void release(Fiber& f, int rank, int buffer) override { post_receive(&f, rank, buffer); }
  void wait(Fiber& f, int rank, Time deadline) override;
  /// Of nodes whose cards take commands, with a queue pair a peer.
  comm::Checkpoints* checkpoints() override { return commands_.empty() ? nullptr : this; }
  std::int64_t sending_reads(int rank) const override { return nodes_[rank].card().sending_reads(); }
  Bytes receive_memory(int rank) const override { return ends_[rank].incoming.size; }
  std::vector<comm::Ceiling> ceilings(int from, int to) const override;
  std::string advice() const override;
  std::int64_t lost() const override;
  std::uint64_t send_buffer(int rank, int i) const override {
    return ends_[rank].outgoing.base + unsigned_of(config_.longest) * static_cast<std::uint64_t>(i);
  }

 private:
  void send_stable(Fiber& f, int rank) override;
  void resume(Fiber& f, int rank) override;
  void save(Fiber& f, int rank) override { for_all_queues(f, rank, infiniband::Command::Code::save); }
  void reset(Fiber& f, int rank) override { for_all_queues(f, rank, infiniband::Command::Code::reset); }
  void restore(Fiber& f, int rank) override { for_all_queues(f, rank, infiniband::Command::Code::restore); }
  Bytes saved(int rank) const override;

  /// A rank's end of a queue pair.
  struct Side {
    QueueEnd queue;         // number -1: not made
    flow::Ring<Done> sent;  // what was posted, the oldest first
  };
  /// Receive buffers that software has posted: of one queue pair, or of all.
  struct Receives {
    ReceiveEnd queue;
    std::unordered_map<std::uint16_t, int> buffer_of;  // by index of the posted receive; looked up only
  };
  struct Ends {
    CompletionEnd sends;
    CompletionEnd receives;
    std::vector<Receives> posted;  // one that is shared, or by peer
    process::Area incoming;
    process::Area outgoing;
    process::Area send_queues;
    process::Area receive_queues;
    comm::ByRank<Side> sides;  // by peer; of datagrams one
    int under_way = 0;         // posted and not taken as done
  };
  bool datagrams() const { return config_.service == infiniband::Service::reliable_datagram; }
  static constexpr int completion_queues = 2;  // of a rank: of sends, of receives
  /// Memory and completion queues of a rank.
  void take_memory(int rank);
  /// A pair's queues, when it has something to say for the first time: a node of a thousand pairs mostly uses few. As
  /// PM does it when it begins, that takes no time.
  void connect(int rank, int peer);
  void make_side(int rank, int peer);
  /// By which a rank sends to a peer.
  Side& side(int rank, int peer);
  const Side& side(int rank, int peer) const { return ends_[rank].sides[datagrams() ? 0 : peer]; }
  /// Where a pair's things lie among those of the rank's other pairs, and its queue pair's number: that does not depend
  /// on which pair is used first, since a card serves queue pairs that a command names together in their order.
  static int place(int rank, int peer) { return peer < rank ? peer : peer - 1; }
  static int peer_at(int rank, int place) { return place < rank ? place : place + 1; }
  /// Receive buffers that belong to queue pairs of `peer`, or all.
  Receives& receives(int rank, int peer);
  void post(Fiber& f, int rank, int peer, const infiniband::WorkRequest& w, const Done& posted);
  /// Posts a buffer to where it belongs, before it is needed (null) or as a step.
  void post_receive(Fiber* f, int rank, int buffer);
  /// Receive buffers of a queue pair alone, or of all.
  int buffers_each() const { return static_cast<int>(config_.receive_memory / config_.longest); }
  /// Receive queues of a rank.
  int receive_queues() const { return config_.shared_receives ? 1 : ranks() - 1; }
  int rank_of(std::uint32_t lid) const;
  /// As configured: one command for all queues of a kind that a rank has, or one for each.
  void command(Fiber& f, int rank, infiniband::Command::Code code, infiniband::Command::Of of, int queues, int place);
  void for_all_queues(Fiber& f, int rank, infiniband::Command::Code code);
  /// Queue pairs, receive and completion queues of a rank.
  int queues() const { return ranks() - 1 + receive_queues() + completion_queues; }
  std::uint64_t receive_buffer(int rank, int i) const {
    return ends_[rank].incoming.base + unsigned_of(config_.longest) * static_cast<std::uint64_t>(i);
  }

  PmInfiniBandConfig config_;
  comm::ByRank<VerbsNode> nodes_;
  comm::ByRank<Ends> ends_;
  process::CoreProcessor processor_;
  comm::ByRank<CardCommands> commands_;  // none, or one each
};

}  // namespace tsunagi::libraries
