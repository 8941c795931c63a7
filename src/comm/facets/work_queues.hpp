// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "comm/buffer.hpp"
#include "fiber/fiber.hpp"

namespace tsunagi::comm {

/// A transfer that is posted to a rank's network card, which does it by itself.
struct PostedTransfer {
  /// What and how, by one of `WorkQueues::methods`. A read brings what lies there at the peer.
  Buffer what;
  int queue = 0;
  /// `poll` tells when it is done, and with it all that were posted to that queue before. One in `WorkQueues::depth`
  /// must be.
  bool signalled = true;
  /// The peer waits for it by `Library::recv`.
  bool awaited = false;
};

/// Transfers that a rank posts and polls for, as many at a time as it likes (verbs).
class WorkQueues {
 public:
  virtual ~WorkQueues() = default;
  /// Ways to move bytes ("write", "send", "read"); sends must be awaited.
  virtual std::vector<std::string> methods() const = 0;
  /// Queues that a rank has to each of its peers.
  virtual int queues() const = 0;
  /// Transfers of one queue that may be posted and not done.
  virtual int depth() const = 0;
  /// Every transfer arrives, once.
  virtual bool reliable() const { return true; }
  /// Throws config::ConfigError if rank `rank` cannot move `b` to or from rank `peer`. Before time 0.
  virtual void check(int rank, int peer, const Buffer& b) const = 0;
  /// Returns when the rank may go on. Throws std::runtime_error if `depth` are under way.
  virtual void post(Fiber& f, int rank, int peer, const PostedTransfer& t) = 0;
  struct Done {
    int peer = 0;
    int queue = 0;
    int transfers = 0;
  };
  /// Blocks until transfers of one queue that rank `rank` posted are done.
  virtual Done poll(Fiber& f, int rank) = 0;
};

}  // namespace tsunagi::comm
