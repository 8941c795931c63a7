// SPDX-License-Identifier: Apache-2.0
#include "comm/collectives/broadcast.hpp"

#include <deque>

#include "comm/collectives/allgather.hpp"
#include "comm/collectives/blocks.hpp"
#include "comm/collectives/catalog.hpp"
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

/// The tree of `binomial_broadcast`, a rank sends to its smallest subtree first.
void binomial_smallest_first_broadcast(Participant& me, const CollectiveCall& c) {
  const Places places{me.size(), c.root};
  const Binomial tree(places.of(me.rank()), me.size());
  if (me.rank() != c.root) me.recv(places.rank(tree.parent()), c.out);
  for (const int child : tree.children()) me.send(places.rank(child), c.out);
}

/// A complete binary tree in level order (the children of place i are 2i + 1 and 2i + 2), segment by segment: while a
/// segment goes to the children the next one comes in. About log2 p + 2 m rounds of m segments (Open MPI's bintree;
/// Pjesivac-Grbovic et al. 2007).
void binary_tree_broadcast(Participant& me, const CollectiveCall& c) {
  const Places places{me.size(), c.root};
  const int place = places.of(me.rank());
  std::vector<int> children;
  for (const int child : {2 * place + 1, 2 * place + 2})
    if (child < me.size()) children.push_back(places.rank(child));
  pipeline(me, c, place == 0 ? -1 : places.rank((place - 1) / 2), children);
}

/// A k-nomial tree: in each of ceil(log_k p) rounds whoever has the data sends to up to k - 1 more, the largest
/// subtrees first; segment by segment (MVAPICH2's k-nomial broadcasts, whole, pipelined or zero-copy, are that).
void knomial_broadcast(Participant& me, const CollectiveCall& c) {
  const Places places{me.size(), c.root};
  const int place = places.of(me.rank());
  const Knomial tree(place, me.size(), c.radix);
  std::vector<int> children;
  for (const int child : tree.largest_first()) children.push_back(places.rank(child));
  pipeline(me, c, place == 0 ? -1 : places.rank(tree.parent()), children);
}

/// Each rank hands on to the next, segment by segment: p - 2 + m rounds of m segments (Open MPI's pipeline).
void chain_broadcast(Participant& me, const CollectiveCall& c) {
  const Places places{me.size(), c.root};
  const int place = places.of(me.rank());
  std::vector<int> next;
  if (place + 1 < me.size()) next.push_back(places.rank(place + 1));
  pipeline(me, c, place == 0 ? -1 : places.rank(place - 1), next);
}

/// Pieces by a binomial scatter, then an allgather of them: recursive doubling for 2^n ranks and less than 512 KiB,
/// else a ring (van de Geijn: Barnett et al. 1994; the border is MPICH's). ceil(log2 p) + log2 p or p - 1 rounds, twice
/// the bytes.
void scatter_allgather_broadcast(Participant& me, const CollectiveCall& c) {
  const Places places{me.size(), c.root};
  const Blocks pieces = Blocks::split(me.size(), c.out.size, Bytes(1));
  scatter_pieces(me, c.out, pieces, places);
  if ((me.size() & (me.size() - 1)) == 0 && c.out.size < long_broadcast)
    exchange_by_doubling(me, c.out, pieces, places);
  else
    exchange_round_a_ring(me, c.out, pieces, places);
}

/// The same with a ring whatever the size.
void scatter_ring_broadcast(Participant& me, const CollectiveCall& c) {
  const Places places{me.size(), c.root};
  const Blocks pieces = Blocks::split(me.size(), c.out.size, Bytes(1));
  scatter_pieces(me, c.out, pieces, places);
  exchange_round_a_ring(me, c.out, pieces, places);
}

/// The root sends to all, in the order of their ranks.
void linear_broadcast(Participant& me, const CollectiveCall& c) {
  if (me.rank() != c.root) return me.recv(c.root, c.out);
  std::vector<Request> sent;
  for (int to = 0; to < me.size(); ++to)
    if (to != c.root) sent.push_back(me.isend(to, c.out));
  me.wait(sent);
}

std::string radix_and_segments(int ranks, const CollectiveCall& c) {
  return c.radix < 2 ? "a radix of at least 2, not " + std::to_string(c.radix) : Segments::refusal(ranks, c);
}

}  // namespace

void binomial_broadcast(Participant& me, const CollectiveCall& c) {
  const Places places{me.size(), c.root};
  const Binomial tree(places.of(me.rank()), me.size());
  if (me.rank() != c.root) me.recv(places.rank(tree.parent()), c.out);
  for (const int child : tree.largest_first()) me.send(places.rank(child), c.out);
}

std::vector<Algorithm> broadcast_algorithms() {
  constexpr Collective kind = Collective::broadcast;
  return {
      {kind, "binomial", "a binomial tree, the largest subtree first", binomial_broadcast},
      {kind, "binomial_smallest_first", "a binomial tree, the smallest subtree first",
       binomial_smallest_first_broadcast},
      {kind, "binary_tree", "a complete binary tree, in segments", binary_tree_broadcast, Algorithm::none,
       Segments::refusal},
      {kind, "knomial", "a k-nomial tree, the largest subtrees first, in segments", knomial_broadcast, Algorithm::none,
       radix_and_segments},
      {kind, "chain", "from rank to rank, in segments", chain_broadcast, Algorithm::none, Segments::refusal},
      {kind, "scatter_allgather", "a binomial scatter, then an allgather (van de Geijn)", scatter_allgather_broadcast},
      {kind, "scatter_ring", "a binomial scatter, then an allgather round a ring", scatter_ring_broadcast},
      {kind, "linear", "the root sends to each", linear_broadcast},
  };
}

}  // namespace tsunagi::comm
