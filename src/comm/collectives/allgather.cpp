// SPDX-License-Identifier: Apache-2.0
#include "comm/collectives/allgather.hpp"

#include "comm/collectives/catalog.hpp"

namespace tsunagi::comm {

namespace {

/// Round a ring: p - 1 rounds, in each of which every rank hands the block it got last to the next rank.
void ring_allgather(Participant& me, const CollectiveCall& c) {
  const Blocks blocks(me.size(), c);
  me.copy(blocks.of(c.out, me.rank()), c.in);
  exchange_round_a_ring(me, c.out, blocks, {me.size(), 0});
}

/// 2^n ranks: in round k ranks 2^k apart exchange the 2^k blocks that each has: log2 p rounds.
void doubling_allgather(Participant& me, const CollectiveCall& c) {
  const Blocks blocks(me.size(), c);
  me.copy(blocks.of(c.out, me.rank()), c.in);
  exchange_by_doubling(me, c.out, blocks, {me.size(), 0});
}

/// In round k each rank gets up to 2^k blocks of the one 2^k behind it: ceil(log2 p) rounds, then each rank rotates
/// what it has (Bruck et al. 1997).
void bruck_allgather(Participant& me, const CollectiveCall& c) {
  const int p = me.size();
  const Blocks blocks(p, c);
  if (p == 1) return me.copy(c.out, c.in);
  const Blocks turned = blocks.from(me.rank());  // block i is of the rank i behind this one
  const Buffer work = me.scratch(Bytes::zero(), turned.whole());
  me.copy(turned.of(work, 0), c.in);
  for (int distance = 1; distance < p; distance *= 2) {
    const int count = std::min(distance, p - distance);
    me.sendrecv((me.rank() - distance + p) % p, turned.of(work, 0, count), (me.rank() + distance) % p,
                turned.of(work, distance, distance + count));
  }
  const int behind = p - me.rank();  // blocks of this rank and those behind it; then come those from rank 0 on
  me.copy(blocks.of(c.out, me.rank(), p), turned.of(work, 0, behind));
  me.copy(blocks.of(c.out, 0, me.rank()), turned.of(work, behind, p));
}

Bytes bruck_allgather_scratch(int ranks, const CollectiveCall& c) {
  return ranks == 1 ? Bytes::zero() : Blocks(ranks, c).whole();
}

std::string powers_of_two(int ranks, const CollectiveCall&) {
  return (ranks & (ranks - 1)) == 0 ? "" : "2, 4, 8, ... ranks only, not " + std::to_string(ranks);
}

}  // namespace

void exchange_round_a_ring(Participant& me, const Buffer& all, const Blocks& blocks, const Places& places) {
  const int p = me.size();
  const int place = places.of(me.rank());
  for (int i = 0; i + 1 < p; ++i)
    me.sendrecv(places.rank((place + 1) % p), blocks.of(all, (place - i + p) % p), places.rank((place + p - 1) % p),
                blocks.of(all, (place - i - 1 + p) % p));
}

void exchange_by_doubling(Participant& me, const Buffer& all, const Blocks& blocks, const Places& places) {
  const int place = places.of(me.rank());
  for (int distance = 1; distance < me.size(); distance *= 2) {
    const int mine = place & ~(distance - 1);
    const int others = mine ^ distance;
    const int peer = places.rank(place ^ distance);
    me.sendrecv(peer, blocks.of(all, mine, mine + distance), peer, blocks.of(all, others, others + distance));
  }
}

std::vector<Algorithm> allgather_algorithms() {
  constexpr Collective kind = Collective::allgather;
  return {
      {kind, "ring", "blocks go round a ring of all ranks", ring_allgather},
      {kind, "recursive_doubling", "pairs of ranks exchange all they have", doubling_allgather, Algorithm::none,
       powers_of_two},
      {kind, "bruck", "ceil(log2 p) rounds, then a rotation", bruck_allgather, bruck_allgather_scratch},
  };
}

}  // namespace tsunagi::comm
