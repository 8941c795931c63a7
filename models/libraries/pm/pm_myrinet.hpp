// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comm/by_rank.hpp"
#include "flow/ring.hpp"
#include "machine/machine.hpp"
#include "models/libraries/pm/pm_lanai_node.hpp"
#include "models/libraries/pm/pm_myrinet_config.hpp"
#include "models/libraries/pm/pm_network.hpp"
#include "models/process/core_processor.hpp"

namespace tsunagi::libraries {

/// PM/Myrinet: a message is a packet; the card's firmware numbers, acknowledges and sends again, and has writes and
/// reads of peers' memory. The host hands it requests and receive buffers, and polls one word.
class PmMyrinet final : public PmNetwork {
 public:
  /// Throws config::ConfigError if the machine lacks nodes with such cards, packets do not hold the longest message, or
  /// the buffers do not fit its memories.
  PmMyrinet(const PmMyrinetConfig& c, Machine& m);

  int ranks() const override { return static_cast<int>(nodes_.size()); }
  const process::HostProcess& process(int rank) const override { return nodes_[rank]; }
  comm::Processor& processor() override { return processor_; }
  std::uint64_t send_buffer(int rank, int i) const override { return nodes_[rank].send_buffer(i); }
  bool room(int rank, int /*peer*/) const override { return nodes_[rank].room(); }
  void send(Fiber& f, int rank, int peer, std::uint64_t address, Bytes n, int buffer) override;
  void transfer(Fiber& f, int rank, int peer, Transfer t, std::uint64_t local, std::uint64_t remote, Bytes n,
                int number) override;
  std::optional<Done> take_done(Fiber& f, int rank) override;
  std::optional<Received> take_received(Fiber& f, int rank) override;
  void release(Fiber& f, int rank, int buffer) override { nodes_[rank].release(f, buffer); }
  void wait(Fiber& f, int rank, Time deadline) override;
  std::int64_t sending_reads(int rank) const override { return nodes_[rank].card().sending_reads(); }
  Bytes receive_memory(int /*rank*/) const override { return config_.receive_memory; }
  std::vector<comm::Ceiling> ceilings(int from, int to) const override;
  std::string advice() const override;
  std::int64_t lost() const override { return failed_checks() + without_buffer(); }

 private:
  /// What events said and nobody has taken.
  struct Ends {
    comm::ByRank<flow::Ring<Done>> sent;  // by peer, messages and writes, the oldest first
    flow::Ring<Done> done;
    flow::Ring<Received> received;
  };
  /// Packets that arrived damaged, and messages that no buffer was there for, at all ranks.
  std::int64_t failed_checks() const;
  std::int64_t without_buffer() const;
  /// Takes an event, if there is one.
  bool take_event(Fiber& f, int rank);
  int rank_at(int place) const { return ranks_.at(static_cast<std::size_t>(place)); }

  PmMyrinetConfig config_;
  comm::ByRank<PmLanaiNode> nodes_;
  std::vector<int> ranks_;  // by place
  comm::ByRank<Ends> ends_;
  process::CoreProcessor processor_;
};

}  // namespace tsunagi::libraries
