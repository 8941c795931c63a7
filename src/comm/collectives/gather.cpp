// SPDX-License-Identifier: Apache-2.0
#include "comm/collectives/catalog.hpp"
#include "comm/collectives/scatter.hpp"

namespace tsunagi::comm {

namespace {

void gather_at_root(Participant& me, const CollectiveCall& c, const SubtreeBlocks& blocks) {
  const auto end = [&](int child) { return Binomial(child, me.size()).end(); };
  const std::vector<int> children = Binomial(0, me.size()).children();
  std::vector<Request> received;
  for (const int child : children)
    received.push_back(
        me.irecv(blocks.places().rank(child), blocks.round(child, end(child))
                                                  ? me.scratch(Bytes::zero(), blocks.size(child, end(child)))
                                                  : blocks.of(c.out, child, end(child))));
  me.copy(blocks.of(c.out, 0, 1), c.in);
  me.wait(received);
  for (const int child : children) {  // of which one at most
    if (!blocks.round(child, end(child))) continue;
    const Buffer whole = me.scratch(Bytes::zero(), blocks.size(child, end(child)));
    const Buffer high = blocks.high(c.out, child);
    const Buffer low = blocks.low(c.out, end(child));
    me.copy(high, part(whole, Bytes::zero(), high.size));
    me.copy(low, part(whole, high.size, low.size));
  }
}

/// Up a binomial tree: ceil(log2 p) rounds, each doubles what is sent (Thakur, Rabenseifner, Gropp 2005). Needs the
/// same memory beside the buffers as a binomial scatter.
void binomial_gather(Participant& me, const CollectiveCall& c) {
  const SubtreeBlocks blocks(me, c);
  const Places& places = blocks.places();
  const int place = places.of(me.rank());
  if (place == 0) return gather_at_root(me, c, blocks);
  const Binomial tree(place, me.size());
  if (tree.end() == place + 1) return me.send(places.rank(tree.parent()), c.in);
  const Buffer mine = me.scratch(Bytes::zero(), blocks.size(place, tree.end()));
  std::vector<Request> received;
  for (const int child : tree.children())
    received.push_back(me.irecv(places.rank(child), part(mine, blocks.size(place, child),
                                                         blocks.size(child, Binomial(child, me.size()).end()))));
  me.copy(part(mine, Bytes::zero(), c.in.size), c.in);
  me.wait(received);
  me.send(places.rank(tree.parent()), mine);
}

/// Each rank sends to the root, which has posted all receives in the order of their ranks.
void linear_gather(Participant& me, const CollectiveCall& c) {
  if (me.rank() != c.root) return me.send(c.root, c.in);
  const Blocks blocks(me.size(), c);
  std::vector<Request> received;
  for (int from = 0; from < me.size(); ++from)
    if (from != c.root) received.push_back(me.irecv(from, blocks.of(c.out, from)));
  me.copy(blocks.of(c.out, c.root), c.in);
  me.wait(received);
}

}  // namespace

std::vector<Algorithm> gather_algorithms() {
  constexpr Collective kind = Collective::gather;
  return {
      {kind, "binomial", "up a binomial tree", binomial_gather, binomial_scatter_scratch},
      {kind, "linear", "each sends to the root", linear_gather},
  };
}

}  // namespace tsunagi::comm
