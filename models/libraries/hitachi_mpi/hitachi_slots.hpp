// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "comm/by_rank.hpp"
#include "comm/messages/envelope.hpp"
#include "comm/steps.hpp"
#include "models/libraries/hitachi_mpi/hitachi_config.hpp"
#include "models/libraries/hitachi_mpi/send_rights.hpp"

namespace tsunagi::libraries {

/// Temporary buffers, some at each rank for each peer, through which Hitachi's MPI sends what it copies (paper 002, 2.1
/// and 6.1). The sender puts a header, and bytes behind it, into an area of its own that is like the receiver's, and
/// sends it by remote DMA into the next buffer in turn, a flag behind it. The receiver takes it out and says so by an
/// acknowledgement, how many it has taken so far, whose transfer control word (TCW) is always the same: a kick. Then
/// the sender uses both again. A buffer's TCW is built when it is used first, and changed where a message of another
/// length goes by it.
class HitachiSlots {
 public:
  /// `what`: its name. So many slots a peer, of so many bytes beside the header, of which some may be under way at a
  /// time: sent, and not acknowledged. All outlive this.
  HitachiSlots(comm::ByRank<ComBufNode>& nodes, const HitachiMpiConfig& c, const std::string& what, int slots,
               int under_way, Bytes payload, SendRights& rights, const comm::Steps& step);

  // The sender:
  /// Whether there is one to fill.
  bool room(int from, int to) const;
  /// There is. `n` bytes from `source` on, an address, go behind the envelope.
  void fill(Fiber& f, int from, int to, const comm::Envelope& e, std::uint64_t source, Bytes n);
  /// Whether one that has been filled can be sent now.
  bool due(int from, int to) const;
  /// Sends the first of those.
  void kick(Fiber& f, int from, int to);
  /// Both, where all may be under way; there is room.
  void send(Fiber& f, int from, int to, const comm::Envelope& e, std::uint64_t source, Bytes n) {
    fill(f, from, to, e, source, n);
    kick(f, from, to);
  }
  /// What says that the next one that has been filled can be sent, where that is not so; else that there is room.
  host::Core::Polled room_word(int from, int to) const;

  // The receiver:
  bool arrived(int rank, int from) const;
  /// What says that the next one has arrived.
  host::Core::Polled arrival_word(int rank, int from) const;
  struct Came {
    comm::Envelope envelope;
    Time at;
  };
  /// Reads the header of the next one, which has arrived.
  Came look(Fiber& f, int rank, int from) const;
  /// Where its bytes are.
  std::uint64_t bytes(int rank, int from) const;
  /// It has been taken out.
  void free(Fiber& f, int rank, int from);
  /// Peers that have sent something.
  int heard(int rank) const { return heard_[rank]; }

 private:
  /// What a rank knows of its messages to and from a peer.
  struct Peer {
    std::uint64_t filled = 0;
    std::uint64_t sent = 0;
    std::uint64_t taken = 0;
    std::deque<comm::Envelope> waiting;  // of those that are filled and not sent
    bool acknowledges = false;           // the TCW of that has been built: with the areas
    std::vector<Bytes> lengths;          // in the TCWs of what it sends, by slot
    std::vector<std::uint64_t> flags;    // what those of what it gets said last
  };
  Peer& peer(int rank, int other);
  const Peer& peer(int rank, int other) const;
  std::uint64_t number(int peer, std::uint64_t message) const;
  void acknowledge(Fiber& f, int rank, int from);
  std::uint64_t taken_word(int to) const;
  std::uint64_t acknowledged(int from, int to) const;

  comm::ByRank<ComBufNode>& nodes_;
  std::int64_t send_cycles_;
  std::int64_t receive_cycles_;
  std::int64_t wait_cycles_;
  std::uint64_t slots_;
  std::uint64_t under_way_;
  Bytes size_;  // of a slot
  SendRights& rights_;
  const comm::Steps& step_;
  std::vector<Peer> peers_;  // by rank and peer
  comm::ByRank<int> heard_;
  // Of each node, by peer and slot:
  std::uint64_t incoming_ = 0;
  std::uint64_t outgoing_ = 0;
  std::uint64_t flags_ = 0;
  std::uint64_t tcws_ = 0;
  // By peer:
  std::uint64_t taken_ = 0;         // how many it has taken, written by it
  std::uint64_t taken_source_ = 0;  // from here
  std::uint64_t taken_tcws_ = 0;
  int incoming_field_ = -1;
  int flag_field_ = -1;
  int taken_field_ = -1;
};

}  // namespace tsunagi::libraries
