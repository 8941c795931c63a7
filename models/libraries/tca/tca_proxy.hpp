// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "comm/by_rank.hpp"
#include "comm/library.hpp"
#include "models/libraries/tca/tca_dma.hpp"
#include "models/libraries/tca/tca_node.hpp"
#include "models/libraries/tca/tca_words.hpp"

namespace tsunagi::libraries {

/// Reads of other nodes by proxy (paper 000, 3.5): PEACH2 only writes across nodes, so a rank writes what it wants to
/// have to the other node and interrupts it; the driver there puts the data back by a DMA channel of its own.
class TcaProxy {
 public:
  /// `nodes`, by rank, and `step` outlive this. Starts a driver on each node, which takes `interrupt_cycles` of its
  /// core from an interrupt to its first look at the requests. When it was loaded, long before any program ran, it told
  /// its chip where to write interrupts to.
  TcaProxy(const comm::ByRank<TcaNode>& nodes, std::int64_t interrupt_cycles, sim::Simulation& sim,
           const comm::Steps& step);
  /// Fetches `b` of rank `peer`; returns when rank `rank` has seen that it is there.
  void get(Fiber& f, int rank, int peer, const comm::Buffer& b);

 private:
  /// What a request says, in words of eight bytes; the last one is its number.
  enum Word : std::uint64_t { source = 0, destination = 8, length = 16, number = 24 };
  // Words on the driver's page of `node`.
  std::uint64_t request_at(int node, int rank) const { return nodes_[node].words().request(rank); }
  std::uint64_t answer_at(int node, int peer) const { return nodes_[node].words().answer(peer); }
  std::uint64_t interrupt_at(int node) const { return nodes_[node].words().interrupt(); }
  std::uint64_t done_at(int node) const { return nodes_[node].words().proxy_status(); }
  std::uint64_t answer_source(int node) const { return nodes_[node].words().answer_source(); }
  static std::uint64_t wide(int n) { return static_cast<std::uint64_t>(n); }
  std::uint64_t shared(int node, std::uint64_t at) const { return nodes_[node].shared_word(at); }

  void drive(Fiber& f, int me);
  void answer(Fiber& f, int me, int rank, std::uint64_t asked);

  const comm::ByRank<TcaNode>& nodes_;
  std::int64_t interrupt_cycles_;
  const comm::Steps& step_;
  comm::ByRank<TcaDma> dmas_;
  comm::ByRank<std::vector<std::uint64_t>> asked_;  // requests by rank and peer
};

}  // namespace tsunagi::libraries
