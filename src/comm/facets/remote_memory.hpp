// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "comm/buffer.hpp"
#include "comm/request.hpp"
#include "fiber/fiber.hpp"

namespace tsunagi::comm {

/// Memory of other ranks that a library's cards write and read by themselves, and flags that tell ranks of it: what
/// windows use where they can, in place of messages. Every call is made by the program of rank `rank`, on its fiber,
/// and takes what it costs there. Progress is that of two-sided messages: while a rank waits for flags,
/// `Transport::wait` looks at those, too.
class RemoteMemory {
 public:
  /// What a rank tells another one of a window: its epoch has begun; all that was for it is there.
  enum class Flag : std::uint8_t { posted, completed };
  /// A flag of another rank.
  struct Raised {
    int window = 0;
    Flag flag = Flag::posted;
    int peer = 0;
  };

  virtual ~RemoteMemory() = default;
  /// Whether windows on `b` can be written and read directly.
  virtual bool shows(const Buffer& b) const = 0;
  /// Whether a put of `b`, or a get into it, is done directly; else by messages.
  virtual bool puts(const Buffer& b) const = 0;
  virtual bool gets(const Buffer& b) const = 0;

  /// The number of a window that is made. Throws std::runtime_error if there are too many.
  virtual int open() = 0;
  /// None of its ranks uses it any more.
  virtual void close(int window) = 0;
  /// Others may access `b` from now on.
  virtual void show(Fiber& f, int rank, const Buffer& b) = 0;

  /// Whether something can be begun that goes to `peer`.
  virtual bool room(int rank, int peer) const = 0;
  /// Begins to write `from` to `to` of `peer`, or to read `from` of `peer` to `to`. There is room. The request
  /// completes when that is done, at both ends.
  virtual Request put(Fiber& f, int rank, int peer, const Buffer& from, const Buffer& to) = 0;
  virtual Request get(Fiber& f, int rank, int peer, const Buffer& from, const Buffer& to) = 0;
  /// Begins to raise a flag at `peer`, behind everything that has completed before. There is room.
  virtual Request raise(Fiber& f, int rank, int window, Flag flag, int peer) = 0;
  /// Whether it has been raised, once more than it was taken. Takes no time.
  virtual bool raised(int rank, const Raised& r) const = 0;
  /// Takes one that has been raised.
  virtual void take(Fiber& f, int rank, const Raised& r) = 0;
  /// `Transport::wait` returns when one of these is raised, too; until the next call.
  virtual void await(int rank, const std::vector<Raised>& all) = 0;
};

}  // namespace tsunagi::comm
