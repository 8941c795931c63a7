// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "comm/by_rank.hpp"
#include "comm/messages/numbers.hpp"
#include "comm/messages/transport.hpp"
#include "models/libraries/hitachi_mpi/hitachi_slots.hpp"
#include "models/protocols/rendezvous.hpp"

namespace tsunagi::libraries {

/// How the bytes of messages beyond the eager limit come to their receiver, when that has said where to (paper 002,
/// 2.1). Every call is made on the fiber of the rank that it names.
class HitachiRendezvous {
 public:
  virtual ~HitachiRendezvous() = default;
  /// What a clear to send says of where the bytes of `e` go to, which are expected from now on.
  virtual std::uint64_t expose(int rank, const comm::Envelope& e, const comm::Buffer& b) = 0;
  /// Sends `b` to where a clear to send, which `e` is like, said; when it can.
  virtual void put(Fiber& f, int from, int to, const comm::Buffer& b, std::uint64_t target, const comm::Envelope& e,
                   const comm::Request& request) = 0;
  /// Does what is due; the next message all bytes of which are here.
  virtual std::optional<comm::Arrival> next(Fiber& f, int rank) = 0;
  /// Adds the words that tell whether there is something to do.
  virtual void watch(int rank, std::vector<host::Core::Polled>& words) const = 0;
};

/// Programs compiled with -rdma: their static areas are static remote DMA areas (paper 002, 6.1). One transfer goes
/// straight to where the receiver wants the bytes, a flag behind it.
class HitachiZeroCopy final : public HitachiRendezvous {
 public:
  HitachiZeroCopy(comm::ByRank<ComBufNode>& nodes, const HitachiMpiConfig& c, SendRights& rights,
                  const comm::Steps& step);
  std::uint64_t expose(int rank, const comm::Envelope& e, const comm::Buffer& b) override;
  void put(Fiber& f, int from, int to, const comm::Buffer& b, std::uint64_t target, const comm::Envelope& e,
           const comm::Request& request) override;
  std::optional<comm::Arrival> next(Fiber& f, int rank) override;
  void watch(int rank, std::vector<host::Core::Polled>& words) const override;

 private:
  struct Job {
    int to = 0;
    comm::Buffer bytes;
    std::uint64_t target = 0;
    std::uint32_t receive = 0;
    comm::Request request;
  };
  /// A transfer under way.
  struct Transfer {
    std::uint64_t number = 0;  // of the adapter's
    std::uint32_t tcw = 0;
    comm::Request request;
  };
  struct Coming {
    comm::Envelope envelope;
    std::uint64_t flag = 0;  // what it said before
  };
  struct State {
    std::deque<Job> jobs;  // that wait for a TCW
    std::deque<Transfer> transfers;
    comm::Numbers tcws;
    std::map<std::uint32_t, Coming> coming;  // by the number of the receive
  };
  host::Core::Polled flag(std::uint32_t receive, std::uint64_t last) const;
  void start(Fiber& f, int rank);
  void finish(Fiber& f, int rank);

  comm::ByRank<ComBufNode>& nodes_;
  HitachiMpiConfig config_;
  SendRights& rights_;
  const comm::Steps& step_;
  comm::ByRank<State> states_;
  std::uint64_t flags_ = 0;  // of each node, by receive
  std::uint64_t tcws_ = 0;
  int flag_field_ = -1;
};

/// Programs compiled without: messages go in chunks through static remote DMA areas, two at the sender and two at the
/// receiver for each pair of ranks. A chunk is copied in while the one before is on its way, copied out at the receiver
/// and acknowledged; it has a header of its own, as a message has.
class HitachiChunks final : public HitachiRendezvous {
 public:
  static constexpr int areas = 2;

  HitachiChunks(comm::ByRank<ComBufNode>& nodes, const HitachiMpiConfig& c, SendRights& rights,
                const comm::Steps& step);
  std::uint64_t expose(int rank, const comm::Envelope& e, const comm::Buffer& b) override;
  void put(Fiber& f, int from, int to, const comm::Buffer& b, std::uint64_t target, const comm::Envelope& e,
           const comm::Request& request) override;
  std::optional<comm::Arrival> next(Fiber& f, int rank) override;
  void watch(int rank, std::vector<host::Core::Polled>& words) const override;

 private:
  struct Leaving {
    comm::Buffer bytes;
    comm::Envelope envelope;
    comm::Request request;
    Bytes filled = {};  // copied into areas
    Bytes sent = {};
  };
  struct Coming {
    comm::Buffer into;
    comm::Envelope envelope;
    Bytes missing;
  };
  struct State {
    std::map<int, std::deque<Leaving>> leaving;  // by peer; none is empty
    std::map<std::uint32_t, Coming> coming;      // by the number of the receive
    std::map<int, int> expected;                 // of them, by peer; none is zero
    protocols::Finished arrived;
  };
  void send(Fiber& f, int rank, int to);
  void take(Fiber& f, int rank, int from);

  comm::ByRank<ComBufNode>& nodes_;
  Bytes chunk_;
  HitachiSlots slots_;
  const comm::Steps& step_;
  comm::ByRank<State> states_;
};

}  // namespace tsunagi::libraries
