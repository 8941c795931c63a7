// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "comm/envelope.hpp"
#include "comm/request.hpp"
#include "models/libraries/verbs/registered_memory.hpp"
#include "models/libraries/verbs/verbs_engine.hpp"

namespace tsunagi::libraries {

/// Messages beyond the eager limit, in host memory: the receiver says where the bytes go to, and an RDMA write brings
/// them there, a send with an envelope behind it.
class VerbsRendezvous {
 public:
  /// `engine` outlives this.
  VerbsRendezvous(VerbsEngine& engine, const VerbsMessagesConfig& c, int ranks)
      : engine_(engine), config_(c), states_(static_cast<std::size_t>(ranks)) {}

  /// Registers memory that a card is to access. Returns what a ready to send or a clear to send says of it.
  std::uint64_t expose(comm::Fiber& f, int rank, std::uint64_t address, Bytes n);
  /// Puts `n` bytes to where a clear to send said, and `last` behind them, when there is room.
  void put(comm::Fiber& f, int from, int to, std::uint64_t address, Bytes n, std::uint64_t target,
           const comm::Envelope& last, const comm::Request& request);
  /// Does what there is room for.
  void go_on(comm::Fiber& f, int rank);

 private:
  /// Bytes that wait for room in a send queue.
  struct Job {
    int to = 0;
    std::uint64_t address = 0;
    Bytes n;
    std::uint64_t target = 0;
    comm::Envelope last;
    comm::Request request;
  };
  struct State {
    std::deque<Job> jobs;
    RegisteredMemory registered;
  };
  State& state(int rank) { return states_[static_cast<std::size_t>(rank)]; }

  VerbsEngine& engine_;
  VerbsMessagesConfig config_;
  std::vector<State> states_;
};

}  // namespace tsunagi::libraries
