// SPDX-License-Identifier: Apache-2.0
#include "comm/collectives/broadcast.hpp"

#include <deque>

#include "comm/collectives/allgather.hpp"
#include "comm/collectives/blocks.hpp"
#include "comm/collectives/tree.hpp"

namespace tsunagi::comm {

namespace {

/// Segments that a rank sends at once: the next one waits when the wire gets free.
constexpr std::size_t segments_sent_ahead = 2;
/// From where on pieces go round a ring whatever the number of ranks (MPIR_CVAR_BCAST_LONG_MSG_SIZE).
constexpr Bytes long_broadcast(524288);

/// Segment by segment from `parent` (-1: from here) to `children`. The receive of the next segment is posted before a
/// segment is waited for.
void pipeline(Participant& me, const CollectiveCall& c, int parent, const std::vector<int>& children) {
  const Segments segments(c.out.size, c.segment);
  std::deque<std::vector<Request>> sent;
  const auto receive = [&](std::int64_t i) {
    return parent < 0 || i >= segments.count() ? Request() : me.irecv(parent, segments.of(c.out, i));
  };
  Request next = receive(0);
  for (std::int64_t i = 0; i < segments.count(); ++i) {
    const Request now = next;
    next = receive(i + 1);
    me.wait({now});
    if (sent.size() == segments_sent_ahead) {
      me.wait(sent.front());
      sent.pop_front();
    }
    sent.emplace_back();
    for (const int child : children) sent.back().push_back(me.isend(child, segments.of(c.out, i)));
  }
  for (const std::vector<Request>& s : sent) me.wait(s);
}

/// Place i gets piece i of the root's buffer, in its own place.
void scatter_pieces(Participant& me, const Buffer& whole, const Blocks& pieces, const Places& places) {
  const int place = places.of(me.rank());
  const Binomial tree(place, me.size());
  if (place != 0) me.recv(places.rank(tree.parent()), pieces.of(whole, place, tree.end()));
  for (const int child : tree.largest_first())
    me.send(places.rank(child), pieces.of(whole, child, Binomial(child, me.size()).end()));
}

}  // namespace

void binomial_broadcast(Participant& me, const CollectiveCall& c) {
  const Places places{me.size(), c.root};
  const Binomial tree(places.of(me.rank()), me.size());
  if (me.rank() != c.root) me.recv(places.rank(tree.parent()), c.out);
  for (const int child : tree.largest_first()) me.send(places.rank(child), c.out);
}

void binomial_smallest_first_broadcast(Participant& me, const CollectiveCall& c) {
  const Places places{me.size(), c.root};
  const Binomial tree(places.of(me.rank()), me.size());
  if (me.rank() != c.root) me.recv(places.rank(tree.parent()), c.out);
  for (const int child : tree.children()) me.send(places.rank(child), c.out);
}

void binary_tree_broadcast(Participant& me, const CollectiveCall& c) {
  const Places places{me.size(), c.root};
  const int place = places.of(me.rank());
  std::vector<int> children;
  for (const int child : {2 * place + 1, 2 * place + 2})
    if (child < me.size()) children.push_back(places.rank(child));
  pipeline(me, c, place == 0 ? -1 : places.rank((place - 1) / 2), children);
}

void knomial_broadcast(Participant& me, const CollectiveCall& c) {
  const Places places{me.size(), c.root};
  const int place = places.of(me.rank());
  const Knomial tree(place, me.size(), c.radix);
  std::vector<int> children;
  for (const int child : tree.largest_first()) children.push_back(places.rank(child));
  pipeline(me, c, place == 0 ? -1 : places.rank(tree.parent()), children);
}

void chain_broadcast(Participant& me, const CollectiveCall& c) {
  const Places places{me.size(), c.root};
  const int place = places.of(me.rank());
  std::vector<int> next;
  if (place + 1 < me.size()) next.push_back(places.rank(place + 1));
  pipeline(me, c, place == 0 ? -1 : places.rank(place - 1), next);
}

void scatter_allgather_broadcast(Participant& me, const CollectiveCall& c) {
  const Places places{me.size(), c.root};
  const Blocks pieces = Blocks::split(me.size(), c.out.size, Bytes(1));
  scatter_pieces(me, c.out, pieces, places);
  if ((me.size() & (me.size() - 1)) == 0 && c.out.size < long_broadcast)
    exchange_by_doubling(me, c.out, pieces, places);
  else
    exchange_round_a_ring(me, c.out, pieces, places);
}

void scatter_ring_broadcast(Participant& me, const CollectiveCall& c) {
  const Places places{me.size(), c.root};
  const Blocks pieces = Blocks::split(me.size(), c.out.size, Bytes(1));
  scatter_pieces(me, c.out, pieces, places);
  exchange_round_a_ring(me, c.out, pieces, places);
}

void linear_broadcast(Participant& me, const CollectiveCall& c) {
  if (me.rank() != c.root) return me.recv(c.root, c.out);
  std::vector<Request> sent;
  for (int to = 0; to < me.size(); ++to)
    if (to != c.root) sent.push_back(me.isend(to, c.out));
  me.wait(sent);
}

}  // namespace tsunagi::comm
