// SPDX-License-Identifier: Apache-2.0
#include "comm/collectives/reduce.hpp"

#include <algorithm>
#include <vector>

#include "comm/collectives/blocks.hpp"
#include "comm/collectives/catalog.hpp"
#include "comm/collectives/halving.hpp"
#include "comm/collectives/tree.hpp"

namespace tsunagi::comm {

// Places are ranks as counted from the root: place 0 is the root. Ranks combine in an order that depends on nothing but
// algorithm, number of ranks and root. `linear` keeps the order of the ranks, so that operations that do not commute
// come out as MPI says (4.0, 6.9.1); the others keep the order of places, which is that of the ranks for root 0.

namespace {

using Operand = Participant::Operand;

/// Segments of a chain in memory beside the buffers: one that comes in, one that is combined, two that leave.
constexpr std::int64_t chain_slots = 4;

/// From the last place to the first, segment by segment: p - 2 + m rounds of m segments (Open MPI's pipeline).
/// 0 + (1 + (2 + ...)).
void chain_reduce(Participant& me, const CollectiveCall& c) {
  const Places places{me.size(), c.root};
  const int place = places.of(me.rank());
  const bool receives = place + 1 < me.size();
  const Segments segments(c.in.size, c.segment, c.element);
  const auto slot = [&](std::int64_t i) {
    return me.scratch(segments.each() * (i % chain_slots), segments.of(c.in, i).size);
  };
  std::vector<Request> sent(static_cast<std::size_t>(chain_slots));
  const auto receive = [&](std::int64_t i) {
    if (!receives || i >= segments.count()) return Request();
    me.wait({sent[static_cast<std::size_t>(i % chain_slots)]});
    return me.irecv(places.rank(place + 1), slot(i));
  };
  if (place == 0) me.copy(c.out, c.in);
  Request next = receive(0);
  for (std::int64_t i = 0; i < segments.count(); ++i) {
    const Request now = next;
    next = receive(i + 1);
    me.wait({now});
    if (place == 0) {
      if (receives) me.combine(segments.of(c.out, i), slot(i), Operand::right);
      continue;
    }
    if (receives) me.combine(slot(i), segments.of(c.in, i), Operand::left);
    Request& s = sent[static_cast<std::size_t>(i % chain_slots)];
    me.wait({s});
    s = me.isend(places.rank(place - 1), receives ? slot(i) : segments.of(c.in, i));
  }
  me.wait(sent);
}

Bytes chain_reduce_scratch(int ranks, const CollectiveCall& c) {
  const Segments segments(c.in.size, c.segment, c.element);
  return ranks < 2 ? Bytes::zero() : std::min(c.in.size, segments.each() * chain_slots);
}

/// A reduce-scatter by recursive halving, then a binomial gather: 2 log2 p rounds, twice the bytes; other numbers of
/// ranks than 2^n fold one time before. Pairs combine as in the binomial tree; where p is no 2^n, neighbours among the
/// first 2 (p - 2^n) places before.
void rabenseifner_reduce(Participant& me, const CollectiveCall& c) {
  if (me.size() == 1) return me.copy(c.out, c.in);
  const Bytes n = c.in.size;
  Folded folded(me, {me.size(), c.root});
  if (folded.number() < 0) return folded.fold(c.in, {});
  const Bytes room = Folded::temporary(me.size(), n, c.element, true);
  const Buffer temporary = me.scratch(Bytes::zero(), room);
  const Buffer have = me.rank() == c.root ? c.out : me.scratch(room, n);
  me.copy(have, c.in);
  folded.fold(have, temporary);
  const Blocks blocks = Blocks::split(Folded::active(me.size()), n, c.element);
  const std::vector<std::pair<int, int>> mine = folded.halve(have, blocks, temporary);
  for (std::size_t i = mine.size() - 1; i > 0;
       --i) {  // the rounds backwards: whoever kept the lower half gets the other
    const int distance = 1 << (i - 1);
    const int peer = folded.rank_of(folded.number() ^ distance);
    const auto [first, last] = mine[i];
    if ((folded.number() & distance) != 0) return me.send(peer, blocks.of(have, first, last));
    me.recv(peer, blocks.of(have, last, mine[i - 1].second));
  }
}

Bytes rabenseifner_reduce_scratch(int ranks, const CollectiveCall& c) {
  return ranks == 1 ? Bytes::zero() : c.in.size + Folded::temporary(ranks, c.in.size, c.element, true);
}

/// Each sends to the root, which combines from the last rank to the first, whoever is the root: 0 + (1 + (2 + ...)) of
/// ranks (Open MPI's basic linear).
void linear_reduce(Participant& me, const CollectiveCall& c) {
  if (me.rank() != c.root) return me.send(c.root, c.in);
  const Bytes n = c.in.size;
  const Buffer behind = me.scratch(Bytes::zero(), me.size() > 1 ? n : Bytes::zero());
  if (c.root + 1 < me.size()) me.recv(me.size() - 1, behind);
  for (int from = me.size() - 2; from > c.root; --from) {
    const Buffer theirs = me.scratch(n, n);
    me.recv(from, theirs);
    me.combine(behind, theirs, Operand::left);
  }
  me.copy(c.out, c.in);
  if (c.root + 1 < me.size()) me.combine(c.out, behind, Operand::right);
  for (int from = c.root - 1; from >= 0; --from) {
    me.recv(from, behind);
    me.combine(c.out, behind, Operand::left);
  }
}

Bytes linear_reduce_scratch(int ranks, const CollectiveCall& c) {
  return c.in.size * (ranks < 2 ? 0 : ranks - 1 - c.root > 1 ? 2 : 1);
}

}  // namespace

void binomial_reduce(Participant& me, const CollectiveCall& c) {
  const Places places{me.size(), c.root};
  const int place = places.of(me.rank());
  const Binomial tree(place, me.size());
  const std::vector<int> children = tree.children();
  if (place != 0 && children.empty()) return me.send(places.rank(tree.parent()), c.in);
  const Bytes n = c.in.size;
  const Buffer have = place == 0 ? c.out : me.scratch(n, n);
  me.copy(have, c.in);
  for (const int child : children) {
    const Buffer theirs = me.scratch(Bytes::zero(), n);
    me.recv(places.rank(child), theirs);
    me.combine(have, theirs, Operand::right);
  }
  if (place != 0) me.send(places.rank(tree.parent()), have);
}

Bytes binomial_reduce_scratch(int ranks, const CollectiveCall& c) {
  return c.in.size * (ranks < 2 ? 0 : ranks < 4 ? 1 : 2);  // from four ranks on one inside the tree is not the root
}

std::vector<Algorithm> reduce_algorithms() {
  constexpr Collective kind = Collective::reduce;
  return {
      {kind, "binomial", "up a binomial tree", binomial_reduce, binomial_reduce_scratch},
      {kind, "chain", "from rank to rank, in segments", chain_reduce, chain_reduce_scratch, Segments::refusal},
      {kind, "rabenseifner", "a recursive halving reduce-scatter, then a binomial gather", rabenseifner_reduce,
       rabenseifner_reduce_scratch},
      {kind, "linear", "each sends to the root", linear_reduce, linear_reduce_scratch},
  };
}

}  // namespace tsunagi::comm
