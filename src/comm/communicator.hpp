// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "comm/buffer.hpp"
#include "comm/ceiling.hpp"
#include "comm/fiber.hpp"
#include "units/bytes.hpp"

namespace tsunagi::comm {

/// A communication library: its steps, on the cores and devices of a machine. Calls block the
/// fiber that they are handed and take simulated time.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int ranks() const = 0;
  /// Ways to move a message that `Buffer::method` may name ("pio", "dma"); the first is the default.
  virtual std::vector<std::string> methods() const { return {}; }
  /// What bounds the bandwidth from one rank to another by a method; a run that beats one fails.
  virtual std::vector<Ceiling> ceilings(int /*from*/, int /*to*/, const std::string& /*method*/) const { return {}; }
  /// Largest message that `send` takes (window or buffer), at offset 0.
  virtual Bytes largest_message() const = 0;
  /// Sends `b` of rank `from` to the same place of rank `to`; returns when `b` may be reused.
  virtual void send(Fiber& f, int from, int to, const Buffer& b) = 0;
  /// Returns when the next message of rank `from` into `b` has arrived at rank `to`.
  virtual void recv(Fiber& f, int to, int from, const Buffer& b) = 0;
};

/// One rank's program sees this and nothing below it.
class Rank {
 public:
  Rank(Communicator& c, Fiber& f, int id) : communicator_(c), fiber_(f), id_(id) {}
  int id() const { return id_; }
  int size() const { return communicator_.ranks(); }
  Time now() const { return fiber_.now(); }
  void send(int peer, const Buffer& b) { communicator_.send(fiber_, id_, peer, b); }
  void recv(int peer, const Buffer& b) { communicator_.recv(fiber_, id_, peer, b); }
  /// Spends `t` on computation.
  void compute(Time t) { fiber_.wait_for(t); }

 private:
  Communicator& communicator_;
  Fiber& fiber_;
  int id_;
};

}  // namespace tsunagi::comm
