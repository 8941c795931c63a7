// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fiber/fiber.hpp"
#include "units/bytes.hpp"

namespace tsunagi::comm {

/// A piece of a rank's memory that a put reads or writes.
struct PutSide {
  std::string place;  ///< "gpu0"; empty: the rank's host memory
  Bytes offset;
};

/// One piece of a prepared put: `size` bytes of the rank that prepares it to rank `peer`, which may be itself.
struct Put {
  int peer = 0;
  PutSide source;
  PutSide target;
  Bytes size;
  /// Block-stride: blocks of that many bytes, the same number apart from start to start on both sides; 0: contiguous.
  Bytes block = {};
  Bytes every = {};
  /// The peer can wait for it.
  bool notify = false;
};

/// Puts whose descriptors are written once and that are then started again and again, as halo exchanges do.
class Puts {
 public:
  virtual ~Puts() = default;
  /// Ways that `prepare` may name; the first is the default.
  virtual std::vector<std::string> methods() const = 0;
  /// Throws config::ConfigError if such puts of a rank cannot be: a place that is not there, memory that is not
  /// reached, too many for the method. Before time 0.
  virtual void check(int rank, const std::vector<Put>& puts, const std::string& method) const = 0;
  /// Cables that a put of one rank to another crosses.
  virtual int cables(int from, int to) const = 0;
  /// Writes the descriptors; returns the number by which rank `rank` starts them.
  virtual int prepare(Fiber& f, int rank, const std::vector<Put>& puts, const std::string& method) = 0;
  /// Stores to the device that writing them took.
  virtual std::int64_t stores(int rank, int number) const = 0;
  /// Starts them; returns when the rank may go on. One at a time a rank.
  virtual void start(Fiber& f, int rank, int number) = 0;
  /// Returns when the sender has seen that its last started puts have been sent; the result is when that could be seen.
  virtual Time finish(Fiber& f, int rank) = 0;
  /// Returns when the next put of rank `from` that notifies has arrived at rank `rank`. Every notice counts: those that
  /// nobody awaited are awaited first. The result is when the notice was there, or a later one.
  virtual Time await(Fiber& f, int rank, int from) = 0;
  /// Gives back what the prepared puts of rank `rank` occupy; their numbers are void. None of them may be under way.
  virtual void forget(int rank) = 0;
};

}  // namespace tsunagi::comm
