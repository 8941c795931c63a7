// SPDX-License-Identifier: Apache-2.0
#include "comm/collectives/allgather.hpp"

#include "comm/collectives/blocks.hpp"

namespace tsunagi::comm {

void ring_allgather(Participant& me, const CollectiveCall& c) {
  const int p = me.size();
  const Blocks blocks(p, c);
  me.copy(blocks.of(c.out, me.rank()), c.in);
  for (int i = 0; i + 1 < p; ++i)
    me.sendrecv((me.rank() + 1) % p, blocks.of(c.out, (me.rank() - i + p) % p), (me.rank() + p - 1) % p,
                blocks.of(c.out, (me.rank() - i - 1 + p) % p));
}

}  // namespace tsunagi::comm
