// SPDX-License-Identifier: Apache-2.0
// Messages whose bytes wait until their receiver is ready.
#include <utility>

#include "comm/messages/messages.hpp"

namespace tsunagi::comm {

/// Has the bytes of a message that is ready to send brought into a receive: fetches them, or says where they go to.
void Messages::ask_for_bytes(Fiber& f, int rank, const Envelope& e, PostedReceive r) {
  Buffer into = r.into;
  into.size = e.size;
  Envelope answer = e;
  answer.kind = Envelope::Kind::clear_to_send;
  auto& receives = end(rank).receives;
  answer.receive = receives.add({std::move(r), e, false});
  if (transport_.fetch(f, rank, answer, into)) {
    receives.at(answer.receive).fetched = true;
    return;
  }
  answer.target = transport_.expose(f, rank, answer, into);
  post(f, rank, e.source, {answer, std::nullopt, {}});
}

void Messages::send_bytes(Fiber& f, int rank, const Arrival& a) {
  transport_.take(f, rank, a, {});
  const Sending s = end(rank).sends.take(a.envelope.send);
  Envelope last = a.envelope;
  last.kind = Envelope::Kind::finished;
  last.target = 0;
  witness_.handed(last, rank, s.to, s.request, f.now());
  transport_.put(f, rank, s.to, s.bytes, a.envelope.target, last, s.request);
}

/// The bytes are there.
void Messages::end_receive(Fiber& f, int rank, const Arrival& a) {
  transport_.take(f, rank, a, {});
  const Receiving r = end(rank).receives.take(a.envelope.receive);
  if (r.fetched) {
    Envelope told = a.envelope;
    told.kind = Envelope::Kind::fetched;
    post(f, rank, told.source, {told, std::nullopt, {}});
  }
  complete(f, rank, r.envelope, r.receive, a.at);
}

/// The receiver has fetched the bytes.
void Messages::end_send(Fiber& f, int rank, const Arrival& a) {
  transport_.take(f, rank, a, {});
  const Sending s = end(rank).sends.take(a.envelope.send);
  witness_.released(a.envelope, s.to);
  s.request.reach(Milestone::started, f.now());
  s.request.reach(Milestone::completed, f.now());
}

}  // namespace tsunagi::comm
