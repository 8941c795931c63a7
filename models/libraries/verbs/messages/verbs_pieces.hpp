// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "comm/by_rank.hpp"
#include "comm/messages/transport.hpp"
#include "comm/request.hpp"
#include "models/libraries/verbs/messages/verbs_engine.hpp"
#include "models/protocols/rendezvous.hpp"

namespace tsunagi::libraries {

/// Messages beyond the eager limit, in pieces as large as a buffer: each is copied into one, sent, and copied out (R3
/// of MVAPICH2 1.9b, gen2/ibv_rndv.c and src/ch3_rndvtransfer.c). So many bytes of them are on their way to a peer at
/// most; it says when it has taken as many.
class VerbsPieces {
 public:
  /// Both outlive this.
  VerbsPieces(VerbsEngine& engine, const MessageMemory& memory, Bytes window, int ranks)
      : engine_(engine), memory_(memory), window_(window), states_(static_cast<std::size_t>(ranks)) {}

  /// The message of `e`, a clear to send, goes to `b`.
  void expect(int rank, const comm::Envelope& e, const comm::Buffer& b);
  /// Sends `b`, of whose message `last` is the envelope, when there is room.
  void put(Fiber& f, int from, int to, const comm::Buffer& b, const comm::Envelope& last, const comm::Request& request);
  /// Does what there is room for.
  void go_on(Fiber& f, int rank);
  /// A piece has come, whose bytes are at `place`.
  void take(Fiber& f, int rank, const comm::Envelope& e, std::uint64_t place);
  /// The peer has taken `n` bytes of pieces.
  void taken(int rank, int peer, Bytes n) { states_[rank].on_their_way[peer] -= n; }
  /// The next message of which all pieces have come.
  std::optional<comm::Arrival> arrived(int rank) { return states_[rank].arrived.take(); }

 private:
  /// A message that comes.
  struct Coming {
    comm::Buffer into;
    Bytes missing;
    comm::Envelope envelope;
  };
  /// A message that leaves.
  struct Leaving {
    int peer = 0;
    comm::Buffer what;
    comm::Envelope last;
    comm::Request request;
    Bytes sent = {};
  };
  struct State {
    std::map<std::uint32_t, Coming> coming;  // by number of the receive
    protocols::Leaving<Leaving> leaving;
    std::map<int, Bytes> on_their_way;  // by peer
    std::map<int, Bytes> taken;         // and not told of
    protocols::Finished arrived;
  };
  /// Sends what there is room for. Returns whether that was all.
  bool send(Fiber& f, int rank, Leaving& m);
  void tell(Fiber& f, int rank);

  VerbsEngine& engine_;
  const MessageMemory& memory_;
  Bytes window_;
  comm::ByRank<State> states_;
};

}  // namespace tsunagi::libraries
