// SPDX-License-Identifier: Apache-2.0
#include "comm/collectives/catalog.hpp"
#include "comm/collectives/tree.hpp"

namespace tsunagi::comm {

namespace {

/// In round k each rank tells the one 2^k behind it, and hears of the one 2^k before it: ceil(log2 p) rounds
/// (Hensgen, Finkel, Manber 1988).
void dissemination_barrier(Participant& me, const CollectiveCall&) {
  const int p = me.size();
  for (int distance = 1; distance < p; distance *= 2) {
    const Request heard = me.hear((me.rank() - distance + p) % p);
    me.wait({me.tell((me.rank() + distance) % p), heard});
  }
}

/// Up a binomial tree, then down it, the largest subtree first: 2 ceil(log2 p) rounds (Mellor-Crummey, Scott 1991: tree
/// barriers).
void tree_barrier(Participant& me, const CollectiveCall&) {
  const Binomial tree(me.rank(), me.size());
  std::vector<Request> up;
  for (const int child : tree.children()) up.push_back(me.hear(child));
  me.wait(up);
  if (me.rank() != 0) {
    const Request down = me.hear(tree.parent());
    me.wait({me.tell(tree.parent()), down});
  }
  for (const int child : tree.largest_first()) me.wait({me.tell(child)});
}

}  // namespace

std::vector<Algorithm> barrier_algorithms() {
  constexpr Collective kind = Collective::barrier;
  return {
      {kind, "dissemination", "ceil(log2 p) rounds of one message each way", dissemination_barrier},
      {kind, "tree", "up a binomial tree and down again", tree_barrier},
  };
}

}  // namespace tsunagi::comm
