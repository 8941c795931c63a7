// SPDX-License-Identifier: Apache-2.0
#include "comm/collectives/barrier.hpp"

#include "comm/collectives/tree.hpp"

namespace tsunagi::comm {

void dissemination_barrier(Participant& me, const CollectiveCall&) {
  const int p = me.size();
  for (int distance = 1; distance < p; distance *= 2) {
    const Request heard = me.hear((me.rank() - distance + p) % p);
    me.wait({me.tell((me.rank() + distance) % p), heard});
  }
}

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

}  // namespace tsunagi::comm
