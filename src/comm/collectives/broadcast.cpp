// SPDX-License-Identifier: Apache-2.0
#include "comm/collectives/broadcast.hpp"

namespace tsunagi::comm {

void binomial_broadcast(Participant& me, const CollectiveCall& c) {
  const int p = me.size();
  const int v = (me.rank() - c.root + p) % p;  // as if the root were rank 0
  int mask = 1;
  for (; mask < p && (v & mask) == 0; mask *= 2) {
  }
  if (v != 0) me.recv((v - mask + c.root) % p, c.out);
  for (mask /= 2; mask > 0; mask /= 2)
    if (v + mask < p) me.send((v + mask + c.root) % p, c.in);
}

}  // namespace tsunagi::comm
