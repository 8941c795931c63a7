// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <vector>

#include "comm/by_rank.hpp"
#include "comm/steps.hpp"
#include "models/libraries/fmpl/fmpl_pending.hpp"
#include "models/libraries/fmpl/fmpl_slots.hpp"

namespace tsunagi::libraries {

/// FMPL's messages without a named source (paper 002, 2.4: fmpl_send_any, fmpl_recv_any), which have a domain of their
/// own: sends whose buffer's method is "any" meet receives from any rank, and no others. They are matched at the
/// receiver, which the paper leaves to the implementation; here a send announces itself there, where each rank has a
/// place. Whoever posts the receive that takes it answers with its header, by a slot of the pair of its own.
class FmplAnySource {
 public:
  /// The method of buffers that send_any sends.
  static constexpr const char* method = "any";

  /// Takes its areas in all nodes, if the config has such messages. All outlive this.
  FmplAnySource(const FmplConfig& c, comm::ByRank<ComBufNode>& nodes, const FmplSlots& slots, const comm::Steps& step);

  /// Announces a send to its peer.
  void announce(Fiber& f, int rank, const FmplPending& send);
  /// Posts a receive: returns the rank whose announced message it takes; none: no such message is there yet. Throws
  /// std::runtime_error if there are too many, or the config has none.
  std::optional<int> post(Fiber& f, int rank, const FmplPending& receive);
  /// Who may announce a message: whose last one has been received.
  std::vector<int> announcers(int rank) const;
  /// The word by which the next announcement of `peer` comes.
  host::Core::Polled word(int rank, int peer) const;
  /// Reads it: returns the receive that takes the message, if one has been posted.
  std::optional<FmplPending> hear(Fiber& f, int rank, int peer);
  /// Whether `waited` has a receive that no message has met.
  bool waits(int rank, const std::vector<comm::Request>& waited) const;
  /// Receives that no message has met.
  const std::list<FmplPending>& receives(int rank) const { return ends_[rank].receives; }

 private:
  static constexpr int most_receives_ = 64;
  /// An announcement: tag, context, size, and the number of the message, eight bytes each, the number last.
  static constexpr Bytes announcement_size_{32};
  static constexpr Bytes record_size_{64};
  /// What a rank has of a peer.
  struct Peer {
    std::uint64_t announced = 0;  // messages to it
    std::uint64_t heard = 0;      // the last one of it
  };
  struct End {
    std::map<int, Peer> peers;
    std::list<FmplPending> receives;
    std::list<comm::Envelope> unmet;  // announced messages that no receive has met
  };
  /// Where the announcement of, or to, `peer` is in such an area.
  static std::uint64_t place(std::uint64_t area, int peer) {
    return area + unsigned_of(announcement_size_) * static_cast<std::uint64_t>(peer);
  }

  FmplConfig config_;
  comm::ByRank<ComBufNode>& nodes_;
  const FmplSlots& slots_;
  const comm::Steps& step_;
  comm::ByRank<End> ends_;
  // Of each node:
  std::uint64_t heard_ = 0;      // by peer, which writes them
  std::uint64_t announced_ = 0;  // its own, before they are sent
  std::uint64_t tcws_ = 0;
  std::uint64_t records_ = 0;  // of receives
  int field_ = -1;
};

}  // namespace tsunagi::libraries
