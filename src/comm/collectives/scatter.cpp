// SPDX-License-Identifier: Apache-2.0
#include "comm/collectives/scatter.hpp"

#include "comm/collectives/catalog.hpp"

namespace tsunagi::comm {

namespace {

/// The blocks of places `first` .. `last` - 1 in one piece, to be sent.
Buffer subtree_to_send(Participant& me, const SubtreeBlocks& blocks, const Buffer& in, int first, int last) {
  if (!blocks.round(first, last)) return blocks.of(in, first, last);
  const Buffer high = blocks.high(in, first);
  const Buffer low = blocks.low(in, last);
  const Buffer whole = me.scratch(Bytes::zero(), high.size + low.size);
  me.copy(part(whole, Bytes::zero(), high.size), high);
  me.copy(part(whole, high.size, low.size), low);
  return whole;
}

/// Down a binomial tree, the largest subtree first: ceil(log2 p) rounds, each halves what is sent (Thakur,
/// Rabenseifner, Gropp 2005). Ranks inside the tree keep their subtree's blocks in memory beside the buffers.
void binomial_scatter(Participant& me, const CollectiveCall& c) {
  const SubtreeBlocks blocks(me, c);
  const Places& places = blocks.places();
  const int place = places.of(me.rank());
  const Binomial tree(place, me.size());
  const auto end = [&](int child) { return Binomial(child, me.size()).end(); };
  if (place == 0) {
    for (const int child : tree.largest_first())
      me.send(places.rank(child), subtree_to_send(me, blocks, c.in, child, end(child)));
    return me.copy(c.out, blocks.of(c.in, 0, 1));
  }
  if (tree.end() == place + 1) return me.recv(places.rank(tree.parent()), c.out);
  const Buffer mine = me.scratch(Bytes::zero(), blocks.size(place, tree.end()));
  me.recv(places.rank(tree.parent()), mine);
  for (const int child : tree.largest_first())
    me.send(places.rank(child), part(mine, blocks.size(place, child), blocks.size(child, end(child))));
  me.copy(c.out, part(mine, Bytes::zero(), c.out.size));
}

/// The root sends to all at once, in the order of their ranks.
void linear_scatter(Participant& me, const CollectiveCall& c) {
  if (me.rank() != c.root) return me.recv(c.root, c.out);
  const Blocks blocks(me.size(), c);
  std::vector<Request> sent;
  for (int to = 0; to < me.size(); ++to)
    if (to != c.root) sent.push_back(me.isend(to, blocks.of(c.in, to)));
  me.copy(c.out, blocks.of(c.in, c.root));
  me.wait(sent);
}

}  // namespace

Bytes binomial_scatter_scratch(int ranks, const CollectiveCall& c) {
  const Blocks by_place = Blocks(ranks, c).from(c.root);
  Bytes most;  // what goes round at the root is a subtree, too
  for (int place = 1; place < ranks; ++place) {
    const int end = Binomial(place, ranks).end();
    if (end > place + 1) most = std::max(most, by_place.size(place, end));
  }
  return most;
}

std::vector<Algorithm> scatter_algorithms() {
  constexpr Collective kind = Collective::scatter;
  return {
      {kind, "binomial", "down a binomial tree", binomial_scatter, binomial_scatter_scratch},
      {kind, "linear", "the root sends to each", linear_scatter},
  };
}

}  // namespace tsunagi::comm
