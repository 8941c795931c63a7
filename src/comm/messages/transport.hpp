// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "comm/buffer.hpp"
#include "comm/facets/attendance.hpp"
#include "comm/messages/envelope.hpp"
#include "comm/request.hpp"
#include "fiber/fiber.hpp"

namespace tsunagi::comm {

/// Where the bytes of a message that has arrived lie until a receive takes them.
enum class Held : std::uint8_t {
  as_it_came,  // where the library received it
  aside,       // where it copied it, because nobody had posted a receive
  nowhere,     // in the receive's buffer already
};

/// An envelope that has arrived. `handle`: by which the library knows the bytes behind it, of those held alike.
struct Arrival {
  Envelope envelope;
  std::uint64_t handle = 0;
  Time at;  // when its last byte was there
  Held held = Held::as_it_came;
};

/// How a library moves envelopes and what belongs to them: the lower half of two-sided messages, of which `Messages` is
/// the upper one. Every call is made by the program of the rank it names, on that rank's fiber, and takes what it costs
/// there. Envelopes of a pair of ranks may overtake each other.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Longest message that travels with its envelope.
  virtual Bytes eager_limit() const = 0;
  /// Whether messages from `b`'s place can.
  virtual bool eager_from(const Buffer& /*b*/) const { return true; }
  /// Whether an envelope to `to` can leave now.
  virtual bool room(int /*from*/, int /*to*/) const { return true; }
  /// Sends an envelope; of an eager message with its bytes, whose request is told when it has started and completed.
  /// There is room.
  virtual void post(Fiber& f, int from, int to, const Envelope& e, const Buffer* b, const Request* request) = 0;
  /// What to say in a ready to send of `b`, which is made ready to be sent from.
  virtual std::uint64_t offer(Fiber& /*f*/, int /*from*/, const Buffer& /*b*/) { return 0; }
  /// Begins to bring what `e`, which was ready to send, offers into `b`, without the sender's doing; `next` says that
  /// it is there by an envelope that is like `e`, but finished. False: it has to be sent; nothing has been done.
  virtual bool fetch(Fiber& /*f*/, int /*rank*/, const Envelope& /*e*/, const Buffer& /*b*/) { return false; }
  /// What to say in `e`, a clear to send, to have bytes put into `b`.
  virtual std::uint64_t expose(Fiber& /*f*/, int /*rank*/, const Envelope& /*e*/, const Buffer& /*b*/) { return 0; }
  /// Puts `b` to where a clear to send said, and `last` behind it. The request is told when `b` may be reused.
  virtual void put(Fiber& /*f*/, int /*from*/, int /*to*/, const Buffer& /*b*/, std::uint64_t /*target*/,
                   const Envelope& /*last*/, const Request& /*request*/) {}
  /// Looks whether an envelope has arrived, and does what is due otherwise (what a driver's progress engine does).
  virtual std::optional<Arrival> next(Fiber& f, int rank) = 0;
  /// Returns when there may be something new for `next`, or room, or one of the events was notified, or at `until`.
  virtual void wait(Fiber& f, int rank, const std::vector<Event*>& events, Time until) = 0;
  /// Brings the bytes of an eager message into the first of `b`, and gives its space back; of other envelopes only
  /// that.
  virtual void take(Fiber& /*f*/, int /*rank*/, const Arrival& /*a*/, const Buffer& /*b*/) {}
  /// Whether others may be unable to arrive as long as an envelope, and what came with it, stay where they are.
  virtual bool needs_place(int /*rank*/, const Arrival& /*a*/) const { return false; }
  /// Copies an envelope aside, with the bytes of an eager message, because nobody takes it yet and its space is needed;
  /// `a` gets a new handle.
  virtual void set_aside(Fiber& /*f*/, int /*rank*/, Arrival& /*a*/) {}
  /// The rank has looked at these entries of its matching queues: receives that wait, or messages. An entry keeps its
  /// number, the smallest that was free, as long as it waits.
  enum class Queue : std::uint8_t { receives, messages };
  virtual void visit(Fiber& /*f*/, int /*rank*/, Queue /*q*/, const std::vector<std::uint32_t>& /*entries*/) {}
  /// The rank has called, to send, to receive or to look; or a turn of its progress has looked whether anything has
  /// arrived and taken what it found: so many of its receives wait for a message.
  virtual void pass(Fiber& /*f*/, int /*rank*/, std::size_t /*pending*/) {}
  /// What ranks do for each other while their programs make no calls; null: nothing.
  virtual Attendance* attendance() { return nullptr; }
};

}  // namespace tsunagi::comm
