// SPDX-License-Identifier: Apache-2.0
#include "comm/collectives/broadcast.hpp"
#include "comm/collectives/catalog.hpp"
#include "comm/collectives/halving.hpp"
#include "comm/collectives/reduce.hpp"

namespace tsunagi::comm {

// All ranks get the same expression. All but the ring combine in the order of the ranks: safe for operations that do
// not commute.

namespace {

/// Pairs at distances 1, 2, 4, ... exchange and combine all they have: log2 p rounds; other numbers of ranks than 2^n
/// fold one time before and unfold behind. ((0 + 1) + (2 + 3)) + ...
void doubling_allreduce(Participant& me, const CollectiveCall& c) {
  Folded folded(me, {me.size(), 0});
  me.copy(c.out, c.in);
  if (me.size() == 1) return;
  if (folded.number() >= 0) {
    const Buffer theirs = me.scratch(Bytes::zero(), c.out.size);
    folded.fold(c.out, theirs);
    for (int distance = 1; distance < Folded::active(me.size()); distance *= 2) {
      const int peer = folded.rank_of(folded.number() ^ distance);
      me.sendrecv(peer, c.out, peer, theirs);
      me.combine(c.out, theirs,
                 (folded.number() & distance) == 0 ? Participant::Operand::right : Participant::Operand::left);
    }
  } else {
    folded.fold(c.out, {});
  }
  folded.unfold(c.out);
}

Bytes doubling_allreduce_scratch(int ranks, const CollectiveCall& c) {
  return Folded::temporary(ranks, c.in.size, c.element, false);
}

/// A block a rank goes round a ring and is combined at each, then round again: 2 (p - 1) rounds, the bytes of 2 (p - 1)
/// / p buffers (Patarasuk, Yuan 2009). Block b begins with rank b: ((b + (b + 1)) + (b + 2)) + ... round to b - 1.
void ring_allreduce(Participant& me, const CollectiveCall& c) {
  const int p = me.size();
  const int next = (me.rank() + 1) % p;
  const int before = (me.rank() + p - 1) % p;
  const Blocks blocks = Blocks::split(p, c.in.size, c.element);
  me.copy(c.out, c.in);
  for (int i = 0; i + 1 < p; ++i) {
    const Buffer mine = blocks.of(c.out, (me.rank() + p - i - 1) % p);
    const Buffer theirs = me.scratch(Bytes::zero(), mine.size);
    me.sendrecv(next, blocks.of(c.out, (me.rank() + p - i) % p), before, theirs);
    me.combine(mine, theirs, Participant::Operand::left);
  }
  for (int i = 0; i + 1 < p; ++i)
    me.sendrecv(next, blocks.of(c.out, (me.rank() + 1 + p - i) % p), before, blocks.of(c.out, (me.rank() + p - i) % p));
}

Bytes ring_allreduce_scratch(int ranks, const CollectiveCall& c) {
  return ranks == 1 ? Bytes::zero() : Blocks::split(ranks, c.in.size, c.element).size(0);
}

/// A reduce-scatter by recursive halving, then an allgather by the same rounds backwards: 2 log2 p rounds, the bytes of
/// twice the buffer (Rabenseifner 2004); folds as recursive doubling, whose order it has.
void rabenseifner_allreduce(Participant& me, const CollectiveCall& c) {
  Folded folded(me, {me.size(), 0});
  me.copy(c.out, c.in);
  if (me.size() == 1) return;
  if (folded.number() >= 0) {
    const Buffer temporary = me.scratch(Bytes::zero(), Folded::temporary(me.size(), c.out.size, c.element, true));
    folded.fold(c.out, temporary);
    const Blocks blocks = Blocks::split(Folded::active(me.size()), c.out.size, c.element);
    const std::vector<std::pair<int, int>> mine = folded.halve(c.out, blocks, temporary);
    for (std::size_t i = mine.size() - 1; i > 0; --i) {
      const int peer = folded.rank_of(folded.number() ^ (1 << (i - 1)));
      const auto [first, last] = mine[i];
      const auto [begin, end] = mine[i - 1];
      me.sendrecv(peer, blocks.of(c.out, first, last), peer,
                  first == begin ? blocks.of(c.out, last, end) : blocks.of(c.out, begin, first));
    }
  } else {
    folded.fold(c.out, {});
  }
  folded.unfold(c.out);
}

Bytes rabenseifner_allreduce_scratch(int ranks, const CollectiveCall& c) {
  return Folded::temporary(ranks, c.in.size, c.element, true);
}

/// A binomial reduce to rank 0, then a binomial broadcast.
void reduce_broadcast_allreduce(Participant& me, const CollectiveCall& c) {
  CollectiveCall step = c;
  step.root = 0;
  binomial_reduce(me, step);
  binomial_broadcast(me, step);
}

/// Each sends all it has to all others, from its own place on, and combines what comes in the order of the ranks: one
/// round. ((0 + 1) + 2) + ...
void direct_allreduce(Participant& me, const CollectiveCall& c) {
  const int p = me.size();
  const Bytes n = c.in.size;
  std::vector<Buffer> of(static_cast<std::size_t>(p));  // by rank, one behind the other without this one's
  std::vector<Request> all;
  for (int i = 1; i < p; ++i) {
    const int from = (me.rank() + i) % p;
    Buffer& b = of[static_cast<std::size_t>(from)];
    b = me.scratch(n * (from < me.rank() ? from : from - 1), n);
    all.push_back(me.irecv(from, b));
  }
  for (int i = 1; i < p; ++i) all.push_back(me.isend((me.rank() + i) % p, c.in));
  me.wait(all);
  of[static_cast<std::size_t>(me.rank())] = c.in;
  if (me.rank() == 0) {
    me.copy(c.out, c.in);
    of.front() = c.out;
  }
  for (int i = 1; i < p; ++i) me.combine(of.front(), of[static_cast<std::size_t>(i)], Participant::Operand::right);
  if (me.rank() != 0) me.copy(c.out, of.front());
}

Bytes direct_allreduce_scratch(int ranks, const CollectiveCall& c) { return c.in.size * (ranks - 1); }

}  // namespace

std::vector<Algorithm> allreduce_algorithms() {
  constexpr Collective kind = Collective::allreduce;
  return {
      {kind, "recursive_doubling", "pairs of ranks exchange all they have", doubling_allreduce,
       doubling_allreduce_scratch},
      {kind, "ring", "a reduce-scatter round a ring, then an allgather round it", ring_allreduce,
       ring_allreduce_scratch},
      {kind, "rabenseifner", "a recursive halving reduce-scatter, then a recursive doubling allgather",
       rabenseifner_allreduce, rabenseifner_allreduce_scratch},
      {kind, "reduce_broadcast", "a binomial reduce, then a binomial broadcast", reduce_broadcast_allreduce,
       binomial_reduce_scratch},
      {kind, "direct", "each sends all it has to all others", direct_allreduce, direct_allreduce_scratch},
  };
}

}  // namespace tsunagi::comm
