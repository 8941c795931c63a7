// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "comm/facets/protocols.hpp"
#include "comm/messages/transport.hpp"
#include "comm/steps.hpp"
#include "models/libraries/hitachi_mpi/hitachi_rendezvous.hpp"
#include "models/protocols/unexpected_queue.hpp"

namespace tsunagi::libraries {

/// What two-sided messages of Hitachi's MPI are made of (paper 002, 2.1 and 6.1): short ones go with their header
/// through temporary buffers of their receiver, of longer ones the header goes first (HitachiRendezvous). Each call,
/// and each turn of a polling loop, checks all non-blocking receives whose send is not determined yet: a turn takes as
/// long as that, and what arrives meanwhile is found when the next one begins.
class HitachiMessages final : public comm::Transport {
 public:
  /// All outlive this.
  HitachiMessages(const HitachiMpiConfig& c, std::vector<ComBufNode>& nodes, const comm::Steps& step);

  Bytes eager_limit() const override { return config_.eager_limit; }
  comm::Protocol protocol(Bytes n) const;
  bool room(int from, int to) const override { return eager_.room(from, to); }
  void post(Fiber& f, int from, int to, const comm::Envelope& e, const comm::Buffer* b,
            const comm::Request* request) override;
  std::uint64_t expose(Fiber& f, int rank, const comm::Envelope& e, const comm::Buffer& b) override;
  void put(Fiber& f, int from, int to, const comm::Buffer& b, std::uint64_t target, const comm::Envelope& last,
           const comm::Request& request) override;
  std::optional<comm::Arrival> next(Fiber& f, int rank) override;
  void wait(Fiber& f, int rank, const std::vector<Event*>& events, Time until) override;
  void take(Fiber& f, int rank, const comm::Arrival& a, const comm::Buffer& b) override;
  void set_aside(Fiber& f, int rank, comm::Arrival& a) override;
  void pass(Fiber& f, int rank, std::size_t pending) override;
  /// From now on the rank's polling loops look at this word, too: what hardware is to write; none: at no such.
  void watch(int rank, std::optional<host::Core::Polled> word);

 private:
  struct State {
    std::optional<protocols::UnexpectedQueue> unexpected;
    int served = 0;  // whose envelope was taken last
    std::int64_t pending = 0;
    std::optional<host::Core::Polled> watched;
  };
  /// The words that a rank polls.
  struct Looks {
    std::vector<host::Core::Polled> words;
    std::int64_t cycles = 0;  // of a look at them
  };
  State& state(int rank) { return states_[static_cast<std::size_t>(rank)]; }
  const ComBufNode& node(int rank) const { return nodes_[static_cast<std::size_t>(rank)]; }
  Looks looks(int rank) const;

  HitachiMpiConfig config_;
  const std::vector<ComBufNode>& nodes_;
  const comm::Steps& step_;
  SendRights rights_;
  HitachiSlots eager_;
  std::unique_ptr<HitachiRendezvous> long_;
  std::vector<State> states_;
};

}  // namespace tsunagi::libraries
