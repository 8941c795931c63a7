// SPDX-License-Identifier: Apache-2.0
#include "comm/collectives/barrier.hpp"

namespace tsunagi::comm {

void dissemination_barrier(Participant& me, const CollectiveCall&) {
  const int p = me.size();
  for (int distance = 1; distance < p; distance *= 2)
    me.sendrecv((me.rank() + distance) % p, {}, (me.rank() - distance + p) % p, {});
}

}  // namespace tsunagi::comm
