// SPDX-License-Identifier: Apache-2.0
#include "comm/collectives/reduce.hpp"

#include <algorithm>
#include <vector>

#include "comm/collectives/blocks.hpp"
#include "comm/collectives/halving.hpp"
#include "comm/collectives/tree.hpp"

namespace tsunagi::comm {

namespace {

using Operand = Participant::Operand;

/// Segments of a chain in memory beside the buffers: one that comes in, one that is combined, two that leave.
constexpr std::int64_t chain_slots = 4;

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

}  // namespace tsunagi::comm
