// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "comm/by_rank.hpp"
#include "comm/messages/envelope.hpp"
#include "comm/messages/transport.hpp"
#include "comm/request.hpp"
#include "models/libraries/verbs/messages/verbs_engine.hpp"
#include "models/protocols/pin_down_cache.hpp"
#include "models/protocols/rendezvous.hpp"

namespace tsunagi::libraries {

/// Messages beyond the eager limit, by RDMA (MVAPICH2 1.9b, gen2/ibv_rndv.c). The receiver says where the bytes go to,
/// and the sender writes them there (RPUT), a send behind them; or the sender says where they are, and the receiver
/// reads them (RGET). If there are enough of them they are cut over all rails; writes have a send behind them on each.
class VerbsRendezvous {
 public:
  /// `engine` outlives this.
  VerbsRendezvous(VerbsEngine& engine, const VerbsMessagesConfig& c, int ranks)
      : engine_(engine), config_(c), states_(static_cast<std::size_t>(ranks)) {}

  /// Registers memory that a card is to access. Returns what a ready to send or a clear to send says of it.
  std::uint64_t expose(Fiber& f, int rank, std::uint64_t address, Bytes n);
  /// Puts `n` bytes to where a clear to send said, and `last` behind them, when there is room.
  void put(Fiber& f, int from, int to, std::uint64_t address, Bytes n, std::uint64_t target, const comm::Envelope& last,
           const comm::Request& request);
  /// Gets `n` bytes to `address` from where `e` says that they are, when there is room. `arrived` tells of it.
  void get(Fiber& f, int rank, std::uint64_t address, Bytes n, const comm::Envelope& e);
  /// The next message that was fetched.
  std::optional<comm::Arrival> arrived(int rank) { return states_[rank].fetched.take(); }
  /// Does what there is room for.
  void go_on(Fiber& f, int rank) {
    states_[rank].jobs.go_on([&](Job& job) { return post(f, rank, job); });
  }
  /// Such an envelope says that the bytes of a rail are there, of as many as its target. Returns whether all are.
  bool finished(int rank, const comm::Envelope& e);

 private:
  /// What of a message is not done.
  struct Left {
    Bytes bytes;
    int rails = 0;          // that have not been told
    comm::Request request;  // of the sender
  };
  /// Bytes that wait for room in send queues.
  struct Job {
    infiniband::Operation operation = infiniband::Operation::write;
    int peer = 0;
    std::uint64_t address = 0;
    Bytes n;
    std::uint64_t there = 0;
    comm::Envelope last;
    std::shared_ptr<Left> left;
    int rail = -1;      // of one that is not cut, when it has begun
    Bytes posted = {};  // bytes
  };
  struct State {
    protocols::Leaving<Job> jobs;
    protocols::PinDownCache registered;
    protocols::Finished fetched;
    std::map<std::uint32_t, std::uint64_t> missing;  // rails that have not told, by the number of the receive
  };
  /// Posts what there is room for. Returns whether that was all.
  bool post(Fiber& f, int rank, Job& job);
  bool post_piece(Fiber& f, int rank, const Job& job, Bytes n);
  void post_part(Fiber& f, int rank, const Job& job, int rail, Bytes from, Bytes n);
  /// Some of it has happened.
  void done(Fiber& f, int rank, const Left& left, const comm::Envelope& last);

  VerbsEngine& engine_;
  VerbsMessagesConfig config_;
  comm::ByRank<State> states_;
};

}  // namespace tsunagi::libraries
