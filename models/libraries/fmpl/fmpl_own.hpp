// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <vector>

#include "comm/by_rank.hpp"
#include "comm/messages/carried.hpp"
#include "comm/messages/transport.hpp"
#include "comm/witness.hpp"
#include "models/libraries/fmpl/fmpl_one_copy.hpp"

namespace tsunagi::libraries {

/// FMPL's messages of a rank to itself: a core copies them when send and receive have both been called.
class FmplOwn {
 public:
  /// All outlive this.
  FmplOwn(FmplOneCopy& one_copy, const comm::Steps& step, comm::Processor& processor, comm::Witness& witness,
          comm::Carried& carried, std::size_t ranks)
      : one_copy_(one_copy), step_(step), processor_(processor), witness_(witness), carried_(carried), ends_(ranks) {}

  void send(Fiber& f, int rank, const FmplPending& p) {
    ends_[rank].sends.push_back(p);
    meet(f, rank);
  }
  void receive(Fiber& f, int rank, const FmplPending& p) {
    ends_[rank].receives.push_back(p);
    meet(f, rank);
  }
  /// Sends that no receive has met, those that have been kept too.
  std::list<FmplPending>& sends(int rank) { return ends_[rank].sends; }
  const std::list<FmplPending>& sends(int rank) const { return ends_[rank].sends; }
  const std::list<FmplPending>& receives(int rank) const { return ends_[rank].receives; }

 private:
  struct End {
    std::list<FmplPending> sends;
    std::list<FmplPending> receives;
  };
  /// Copies the first message that has both.
  void meet(Fiber& f, int rank);
  void copy(Fiber& f, int rank, const FmplPending& from, FmplPending& to);

  FmplOneCopy& one_copy_;
  const comm::Steps& step_;
  comm::Processor& processor_;
  comm::Witness& witness_;
  comm::Carried& carried_;
  comm::ByRank<End> ends_;
};

}  // namespace tsunagi::libraries
