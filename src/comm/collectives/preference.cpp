// SPDX-License-Identifier: Apache-2.0
#include "comm/collectives/catalog.hpp"

namespace tsunagi::comm {

namespace {

// Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", IJHPCA 19(1), 2005;
// MPICH's defaults of the same (MPIR_CVAR_BCAST_SHORT_MSG_SIZE and so on) say which side a size on the border is on.
constexpr Bytes broadcast_short(12288);
constexpr int broadcast_few_ranks = 8;
constexpr Bytes reduction_short(2048);
constexpr Bytes allgather_short(81920);  // these two of all ranks' blocks together
constexpr Bytes allgather_long(524288);
constexpr Bytes all_to_all_short(256);
constexpr Bytes all_to_all_medium(32768);
constexpr int all_to_all_few_ranks = 8;

bool power_of_two(int p) { return (p & (p - 1)) == 0; }

/// Whether each of the largest power of two of ranks gets an element.
bool enough_elements(int ranks, const CollectiveCall& c) {
  int p = 1;
  while (p * 2 <= ranks) p *= 2;
  return c.in.size / c.element >= p;
}

}  // namespace

const char* preference(int ranks, const CollectiveCall& c) {
  const Bytes n = c.weight(ranks);
  Bytes all = n * ranks;
  if (c.v()) {
    all = Bytes::zero();
    for (const Bytes& size : c.sizes) all += size;
  }
  switch (c.kind) {
    case Collective::barrier:
      return "dissemination";
    case Collective::broadcast:
      return n < broadcast_short || ranks < broadcast_few_ranks ? "binomial" : "scatter_allgather";
    case Collective::reduce:
      return n > reduction_short && enough_elements(ranks, c) ? "rabenseifner" : "binomial";
    case Collective::allreduce:
      return n > reduction_short && enough_elements(ranks, c) ? "rabenseifner" : "recursive_doubling";
    case Collective::scatter:
    case Collective::gather:
      return c.v() ? "linear" : "binomial";
    case Collective::allgather:
      if (power_of_two(ranks) && all < allgather_long) return "recursive_doubling";
      return all < allgather_short ? "bruck" : "ring";
    case Collective::all_to_all:
      if (c.v()) return "linear";
      if (n <= all_to_all_short && ranks >= all_to_all_few_ranks) return "bruck";
      return n <= all_to_all_medium ? "linear" : "pairwise";
  }
  return "";
}

}  // namespace tsunagi::comm
