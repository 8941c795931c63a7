// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "comm/buffer.hpp"
#include "comm/messages/carried.hpp"
#include "comm/messages/matching.hpp"
#include "comm/request.hpp"
#include "comm/witness.hpp"
#include "comm/world/finale.hpp"
#include "comm/world/ledger.hpp"
#include "fiber/fiber.hpp"

namespace tsunagi::comm {

/// Two-sided messages as programs, collectives and windows see them: sends and receives that meet by source, tag and
/// context, in the order of their calls. `Messages` makes them of a library's `Transport`; a library that has them meet
/// elsewhere than at the receiver brings its own as a facet. Every call is made by the program of the
/// rank it names, on that rank's fiber, and takes what it costs there. Errors of programs are std::runtime_error and
/// name the ranks. Who implements it hands its messages to `witness_` and `carried_`, and counts what it sends.
class TwoSided {
 public:
  virtual ~TwoSided() = default;

  /// Starts to send; `b` may be reused when the request has completed.
  virtual Request isend(Fiber& f, int from, int to, int context, int tag, const Buffer& b) = 0;
  /// Posts a receive of at most `b.size` bytes.
  virtual Request irecv(Fiber& f, int rank, const Pattern& p, const Buffer& b) = 0;
  /// Whether it has completed, after a look at what has arrived.
  virtual bool test(Fiber& f, int rank, const Request& r) = 0;
  virtual void wait_all(Fiber& f, int rank, const std::vector<Request>& all) = 0;
  /// Returns the first in the list that has completed, when one has.
  virtual std::size_t wait_any(Fiber& f, int rank, const std::vector<Request>& all) = 0;
  /// Returns when all that the rank has to send has left it. Where its program makes no calls for a while.
  virtual void finish(Fiber& f, int rank) = 0;
  /// Blocks until `told` has been notified and it is `over`. Its program waits for something else than messages.
  virtual void stand_by(Fiber& f, int rank, Event& told, const std::function<bool()>& over);
  /// Its program has ended: all that it has to send leaves, and what others need it for is done, as far as that is
  /// anything, until all programs have come to `all`.
  virtual void finalize(Fiber& f, int rank, Finale& all);
  /// Messages and receives that never met, one a line.
  virtual std::vector<std::string> leftovers() const = 0;

  // What a program has to know before it begins.
  /// It may use tags 0 .. `tags()` - 1.
  virtual int tags() const { return largest_tag + 1; }
  /// Whether several messages of one rank to another may be under way by one tag; they keep their order.
  virtual bool queues() const { return true; }
  /// Whether `isend` returns at once, else when its message is out of the sender's hands.
  virtual bool nonblocking() const { return true; }
  /// Whether sends of a rank like `b`, `each` by each of so many tags, complete though nobody receives them.
  virtual bool keeps(const Buffer& /*b*/, int /*tags*/, int /*each*/) const { return false; }
  /// Whether a rank can look for messages that it has not received (`probe`), as windows do.
  virtual bool probes() const { return false; }

  // What a library cannot do whose receivers do not see a message before they have received it; not overridden: an
  // error of the program that asks for it.
  /// Makes progress until `done`; the requests are those that it waits for among others.
  virtual void progress_until(Fiber& f, int rank, const std::vector<Request>& waited,
                              const std::function<bool()>& done);
  /// Whether a message waits that a receive would take, as known now. Takes no time.
  virtual bool there(int rank, const Pattern& p);
  /// Looks for a message that a receive would take.
  virtual std::optional<Status> probe(Fiber& f, int rank, const Pattern& p);
  /// Returns when there is one.
  virtual Status wait_probe(Fiber& f, int rank, const Pattern& p);

  /// Who hears of sends, of receives when they complete, and of ranks that wait.
  virtual void set_listener(Listener& l) { witness_.set_listener(l); }
  /// Keeps which bytes lie where; null: nobody does. Before any message.
  virtual void set_ledger(Ledger* l) { carried_.set_ledger(l); }

 protected:
  Witness witness_;
  Carried carried_;
};

}  // namespace tsunagi::comm
