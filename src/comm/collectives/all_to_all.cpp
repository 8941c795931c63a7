// SPDX-License-Identifier: Apache-2.0
#include "comm/collectives/blocks.hpp"
#include "comm/collectives/catalog.hpp"

namespace tsunagi::comm {

namespace {

/// Blocks of 0 .. ranks - 1 whose number has that bit.
std::vector<int> with_bit(int ranks, int bit) {
  std::vector<int> out;
  for (int i = 0; i < ranks; ++i)
    if ((i & bit) != 0) out.push_back(i);
  return out;
}

int most_at_once(int ranks) {
  std::size_t most = 0;
  for (int bit = 1; bit < ranks; bit *= 2) most = std::max(most, with_bit(ranks, bit).size());
  return static_cast<int>(most);
}

Blocks blocks_received(int ranks, const CollectiveCall& c) { return {ranks, c.received, c.weight(ranks)}; }

/// p - 1 rounds, in each of which each rank exchanges with one: for 2^n ranks in round i with rank xor i, else it sends
/// to rank + i and receives from rank - i (Thakur, Rabenseifner, Gropp 2005).
void pairwise_all_to_all(Participant& me, const CollectiveCall& c) {
  const int p = me.size();
  const Blocks out(p, c);
  const Blocks in = blocks_received(p, c);
  me.copy(in.of(c.out, me.rank()), out.of(c.in, me.rank()));
  const bool pairs = (p & (p - 1)) == 0;
  for (int i = 1; i < p; ++i) {
    const int to = pairs ? me.rank() ^ i : (me.rank() + i) % p;
    const int from = pairs ? to : (me.rank() + p - i) % p;
    me.sendrecv(to, out.of(c.in, to), from, in.of(c.out, from));
  }
}

/// In round k each rank sends all blocks that have to go a way with 2^k in it, packed, 2^k further: ceil(log2 p) rounds
/// (Bruck et al. 1997).
void bruck_all_to_all(Participant& me, const CollectiveCall& c) {
  const int p = me.size();
  const Blocks blocks(p, c);
  if (p == 1) return me.copy(c.out, c.in);
  const Bytes each = blocks.size(0);
  const Bytes packed = each * most_at_once(p);
  const Buffer work = me.scratch(Bytes::zero(), blocks.whole());  // block i has to go i ranks further
  me.copy(blocks.of(work, 0, p - me.rank()), blocks.of(c.in, me.rank(), p));
  me.copy(blocks.of(work, p - me.rank(), p), blocks.of(c.in, 0, me.rank()));
  for (int distance = 1; distance < p; distance *= 2) {
    const std::vector<int> gone = with_bit(p, distance);
    const Bytes n = each * static_cast<std::int64_t>(gone.size());
    const Buffer out = me.scratch(blocks.whole(), n);
    const Buffer in = me.scratch(blocks.whole() + packed, n);
    Bytes at;
    for (const int i : gone) me.copy(part(out, at, each), blocks.of(work, i)), at += each;
    me.sendrecv((me.rank() + distance) % p, out, (me.rank() + p - distance) % p, in);
    at = Bytes::zero();
    for (const int i : gone) me.copy(blocks.of(work, i), part(in, at, each)), at += each;
  }
  for (int i = 0; i < p; ++i) me.copy(blocks.of(c.out, (me.rank() + p - i) % p), blocks.of(work, i));
}

Bytes bruck_all_to_all_scratch(int ranks, const CollectiveCall& c) {
  return ranks == 1 ? Bytes::zero() : Blocks(ranks, c).size(0) * (ranks + 2 * most_at_once(ranks));
}

/// p - 1 rounds whatever p is: in round i a rank sends to rank + i and receives from rank - i (MPICH 1.2.5, long ones).
void ring_all_to_all(Participant& me, const CollectiveCall& c) {
  const int p = me.size();
  const Blocks out(p, c);
  const Blocks in = blocks_received(p, c);
  me.copy(in.of(c.out, me.rank()), out.of(c.in, me.rank()));
  for (int i = 1; i < p; ++i) {
    const int to = (me.rank() + i) % p;
    const int from = (me.rank() + p - i) % p;
    me.sendrecv(to, out.of(c.in, to), from, in.of(c.out, from));
  }
}

/// Pairs at distances 1, 2, 4, ... exchange all blocks of all ranks that they have, also those for others: log2 p
/// rounds. Where p is no 2^n, ranks without a partner get from others of their part what these got, in halves
/// (MPICH 1.2.5, short ones).
void doubling_all_to_all(Participant& me, const CollectiveCall& c) {
  const int p = me.size();
  if (p == 1) return me.copy(c.out, c.in);
  const Blocks blocks(p, c);
  const Bytes each = blocks.whole();  // of a rank
  const auto of = [&](int first, int last) { return me.scratch(each * first, each * (last - first)); };
  me.copy(of(me.rank(), me.rank() + 1), c.in);
  for (int span = 1; span < p; span *= 2) {
    const int mine = me.rank() / span * span;
    const int other = mine ^ span;
    const int peer = me.rank() ^ span;
    if (other >= p) continue;
    const Buffer theirs = of(other, std::min(other + span, p));
    if (peer < p) me.sendrecv(peer, of(mine, std::min(mine + span, p)), peer, theirs);
    const int have = p - other;  // the first so many of a full part had partners
    for (int half = span / 2; half > 0 && have < span; half /= 2) {
      const int place = me.rank() % (2 * half);
      if (place < half && place < have && place + half >= have) me.send(me.rank() + half, theirs);
      if (place >= half && place >= have && place - half < have) me.recv(me.rank() - half, theirs);
    }
  }
  for (int i = 0; i < p; ++i) me.copy(blocks.of(c.out, i), blocks.of(of(i, i + 1), me.rank()));
}

Bytes doubling_all_to_all_scratch(int ranks, const CollectiveCall& c) {
  return ranks == 1 ? Bytes::zero() : Blocks(ranks, c).whole() * ranks;
}

/// All receives, then all sends at once: in the order of the ranks, nobody thinking of who else sends there, or from
/// each rank's own place on, rank + 1, rank + 2, ... (MPICH 1.2.5, medium ones and all of different sizes).
void linear_all_to_all(Participant& me, const CollectiveCall& c) {
  const int p = me.size();
  const Blocks out(p, c);
  const Blocks in = blocks_received(p, c);
  std::vector<int> others;
  for (int i = 0; i < p; ++i)
    if (const int peer = c.order == PartnerOrder::rank_relative ? (me.rank() + i) % p : i; peer != me.rank())
      others.push_back(peer);
  std::vector<Request> all;
  for (const int from : others) all.push_back(me.irecv(from, in.of(c.out, from)));
  for (const int to : others) all.push_back(me.isend(to, out.of(c.in, to)));
  me.copy(in.of(c.out, me.rank()), out.of(c.in, me.rank()));
  me.wait(all);
}

/// Messages to up to 32 ranks at once, then to the next ones: a rank receives from itself, the rank behind it and so
/// on, and sends to itself, the rank before it and so on, so that nobody is sent to by two at once (MVAPICH2's
/// scattered destinations, MPIR_ALLTOALL_THROTTLE).
void scattered_all_to_all(Participant& me, const CollectiveCall& c) {
  constexpr int at_once = 32;
  const int p = me.size();
  const Blocks out(p, c);
  const Blocks in = blocks_received(p, c);
  for (int first = 0; first < p; first += at_once) {
    std::vector<Request> all;
    const int last = std::min(first + at_once, p);
    for (int i = std::max(first, 1); i < last; ++i) {
      const int from = (me.rank() + i) % p;
      all.push_back(me.irecv(from, in.of(c.out, from)));
    }
    if (first == 0) me.copy(in.of(c.out, me.rank()), out.of(c.in, me.rank()));
    for (int i = std::max(first, 1); i < last; ++i) {
      const int to = (me.rank() + p - i) % p;
      all.push_back(me.isend(to, out.of(c.in, to)));
    }
    me.wait(all);
  }
}

std::string equal_blocks(int, const CollectiveCall& c) { return c.v() ? "blocks of one size only" : ""; }

}  // namespace

std::vector<Algorithm> all_to_all_algorithms() {
  constexpr Collective kind = Collective::all_to_all;
  return {
      {kind, "pairwise", "p - 1 rounds, in each an exchange with one rank", pairwise_all_to_all},
      {kind, "bruck", "ceil(log2 p) rounds of half of all blocks", bruck_all_to_all, bruck_all_to_all_scratch,
       equal_blocks},
      {kind, "linear", "all messages at once, in the order of the ranks or from each rank's own place on",
       linear_all_to_all, Algorithm::none, Algorithm::nothing, true},
      {kind, "scattered", "messages to 32 ranks at once, from each rank's own place on", scattered_all_to_all},
      {kind, "ring", "p - 1 rounds, in each to rank + i and from rank - i", ring_all_to_all},
      {kind, "recursive_doubling", "pairs of ranks exchange all they have, also what is for others",
       doubling_all_to_all, doubling_all_to_all_scratch, equal_blocks},
  };
}

}  // namespace tsunagi::comm
