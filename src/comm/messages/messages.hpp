// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/accounts.hpp"
#include "comm/facets/processor.hpp"
#include "comm/messages/matching.hpp"
#include "comm/messages/message_order.hpp"
#include "comm/messages/numbers.hpp"
#include "comm/messages/outbox.hpp"
#include "comm/messages/transport.hpp"
#include "comm/messages/two_sided.hpp"
#include "comm/request.hpp"

namespace tsunagi::comm {

/// Two-sided messages as MPI has them (4.0, chapter 3), over what a library moves: matching at the receiver, order,
/// eager and rendezvous, requests. All goes on inside calls only, on the calling rank's fiber.
class Messages final : public TwoSided {
 public:
  /// All outlive this.
  Messages(Transport& transport, Processor& processor, int ranks, Accounts& accounts);

  Request isend(Fiber& f, int from, int to, int context, int tag, const Buffer& b) override;
  Request irecv(Fiber& f, int rank, const Pattern& p, const Buffer& b) override;
  bool test(Fiber& f, int rank, const Request& r) override;
  void wait_all(Fiber& f, int rank, const std::vector<Request>& all) override;
  std::size_t wait_any(Fiber& f, int rank, const std::vector<Request>& all) override;
  void progress_until(Fiber& f, int rank, const std::vector<Request>& waited,
                      const std::function<bool()>& done) override;
  bool there(int rank, const Pattern& p) override { return find(rank, p).has_value(); }
  std::optional<Status> probe(Fiber& f, int rank, const Pattern& p) override;
  Status wait_probe(Fiber& f, int rank, const Pattern& p) override;
  void finish(Fiber& f, int rank) override;
  void stand_by(Fiber& f, int rank, Event& told, const std::function<bool()>& over) override;
  void finalize(Fiber& f, int rank, Finale& all) override;
  std::vector<std::string> leftovers() const override;
  bool keeps(const Buffer& b, int /*tags*/, int /*each*/) const override {
    return b.size <= transport_.eager_limit() && transport_.eager_from(b);
  }
  bool probes() const override { return true; }

 private:
  /// A message that waits for the receiver to be ready.
  struct Sending {
    int to = 0;
    Buffer bytes;
    Request request;
  };
  /// A receive whose bytes are on their way.
  struct Receiving {
    PostedReceive receive;
    Envelope envelope;
    bool fetched = false;  // by this rank, which has to tell the sender
  };
  /// One rank's end.
  struct End {
    Matching matching;
    Outbox outbox;
    MessageOrder<Arrival> order;
    Numbered<Sending> sends;
    Numbered<Receiving> receives;
    std::deque<Arrival> own;  // sent to itself
  };
  End& end(int rank);
  void post(Fiber& f, int from, int to, Outbox::Outgoing o);
  void flush(Fiber& f, int rank);
  bool handle(Fiber& f, int rank);
  /// Messages of one rank are matched in the order in which it sent them.
  void in_order(Fiber& f, int rank, Arrival a);
  void accept(Fiber& f, int rank, Arrival a);
  void begin_receive(Fiber& f, int rank, const Arrival& a, PostedReceive r);
  void ask_for_bytes(Fiber& f, int rank, const Envelope& e, PostedReceive r);
  void send_bytes(Fiber& f, int rank, const Arrival& a);
  void end_receive(Fiber& f, int rank, const Arrival& a);
  void end_send(Fiber& f, int rank, const Arrival& a);
  void complete(Fiber& f, int rank, const Envelope& e, const PostedReceive& r, Time delivered);
  void visit(Fiber& f, int rank, Transport::Queue q);
  void pass(Fiber& f, int rank);
  /// A turn of progress. Returns whether there may be more to do at once.
  bool turn(Fiber& f, int rank);
  /// Whether something that waits for room can go now.
  bool can_flush(int rank) const;
  template <class Done>
  void progress(Fiber& f, int rank, const std::vector<Request>& waited, Done&& done);
  void hand_over(Fiber& f, int from, int to, const Outbox::Outgoing& o);
  /// A message that a receive would take, of those that wait.
  std::optional<Status> find(int rank, const Pattern& p);
  void check_size(int rank, const Envelope& e, const PostedReceive& r) const;

  Transport& transport_;
  Processor& processor_;
  Accounts& accounts_;
  RequestPool requests_;
  std::vector<std::unique_ptr<End>> ends_;
  std::map<std::pair<int, std::uint32_t>, Sending> own_;  // what ranks have sent to themselves
};

}  // namespace tsunagi::comm
