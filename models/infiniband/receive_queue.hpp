// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "flow/ring.hpp"
#include "models/infiniband/queue_pair.hpp"

namespace tsunagi::infiniband {

/// Receives that software has posted, in a ring in host memory, for a queue pair or (shared) for several. The card
/// fetches some ahead when it has none left.
class ReceiveQueue final : private dma::Port::Reader {
 public:
  class User {
   public:
    virtual ~User() = default;
    /// The fetch that it waited for is over, and has brought some or none; who was told before may have taken them.
    virtual void receives_fetched(net::Cause last, bool any) = 0;
  };
  struct Taken {
    ReceiveRequest what;
    std::uint16_t index = 0;
    net::Cause since;
  };

  ReceiveQueue(CardParts& parts, const QueueMemory& memory) : parts_(parts), memory_(memory) {}
  bool any() const { return !fetched_.empty(); }
  Taken take() { return fetched_.take_front(); }
  /// Fetches what has been posted, for who finds none, and tells when it is there.
  void fetch(User& user, const net::Cause& why);
  /// Somebody waits for receives, or some are here that nobody has taken.
  bool busy() const { return !waiting_.empty() || any(); }

  // When it is not busy:
  void save(SavedContext& c) const { c.word[0] = next_; }
  void restore(const SavedContext& c) { next_ = c.word[0]; }

 private:
  void data_came(std::uint64_t token, flow::Contents bytes, net::Cause last) override;
  CardParts& parts_;
  QueueMemory memory_;
  std::uint64_t next_ = 0;
  flow::Ring<Taken> fetched_;
  std::vector<User*> waiting_;  // for the fetch that is under way
};

}  // namespace tsunagi::infiniband
