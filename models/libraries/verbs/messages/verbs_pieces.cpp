// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/verbs/messages/verbs_pieces.hpp"

#include <algorithm>

namespace tsunagi::libraries {

using comm::Envelope;
using comm::Milestone;
using Notice = MessageHeader::Notice;

namespace {

/// Of a buffer.
comm::Buffer piece(const comm::Buffer& b, Bytes from, Bytes n) {
  comm::Buffer out = b;
  out.offset = b.offset + from;
  out.size = n;
  return out;
}

}  // namespace

void VerbsPieces::expect(int rank, const Envelope& e, const comm::Buffer& b) {
  states_[rank].coming[e.receive] = {b, e.size, e};
}

void VerbsPieces::put(Fiber& f, int from, int to, const comm::Buffer& b, const Envelope& last,
                      const comm::Request& request) {
  states_[from].leaving.add({to, b, last, request});
  go_on(f, from);
}

void VerbsPieces::go_on(Fiber& f, int rank) {
  tell(f, rank);
  states_[rank].leaving.go_on([&](Leaving& m) { return send(f, rank, m); });
}

bool VerbsPieces::send(Fiber& f, int rank, Leaving& m) {
  Bytes& on_their_way = states_[rank].on_their_way[m.peer];
  while (m.sent < m.what.size) {
    if (on_their_way >= window_ || !engine_.room(rank, m.peer)) return false;
    if (m.sent == Bytes::zero()) m.request.reach(Milestone::started, f.now());
    const comm::Buffer b = piece(m.what, m.sent, std::min(engine_.most_sent(), m.what.size - m.sent));
    MessageHeader h;
    h.notice = Notice::piece;
    h.envelope = m.last;
    h.envelope.size = b.size;
    h.envelope.target = unsigned_of(m.sent);
    m.sent += b.size;
    on_their_way += b.size;
    VerbsEngine::Then then;
    if (m.sent == m.what.size)
      then = [request = m.request](Fiber& by) { request.reach(Milestone::completed, by.now()); };
    engine_.send(f, rank, m.peer, h, &b, std::move(then));
  }
  return true;
}

void VerbsPieces::take(Fiber& f, int rank, const Envelope& e, std::uint64_t place) {
  State& s = states_[rank];
  const auto c = s.coming.find(e.receive);
  memory_.copy_in(f, rank, piece(c->second.into, Bytes(static_cast<std::int64_t>(e.target)), e.size), place);
  s.taken[e.source] += e.size;
  c->second.missing -= e.size;
  if (c->second.missing > Bytes::zero()) return;
  s.arrived.add(c->second.envelope, f.now(), comm::Held::nowhere);
  s.coming.erase(c);
}

/// Tells those who may wait for it.
void VerbsPieces::tell(Fiber& f, int rank) {
  for (auto& [peer, n] : states_[rank].taken) {
    if (n < window_ || !engine_.room(rank, peer)) continue;
    MessageHeader h;
    h.notice = Notice::pieces_taken;
    h.envelope.source = rank;
    h.envelope.size = std::exchange(n, Bytes::zero());
    engine_.send(f, rank, peer, h);
  }
}

}  // namespace tsunagi::libraries
