// SPDX-License-Identifier: Apache-2.0
#include "comm/collectives/catalog.hpp"

#include <algorithm>
#include <stdexcept>

#include "comm/collectives/allgather.hpp"
#include "comm/collectives/barrier.hpp"
#include "comm/collectives/broadcast.hpp"

namespace tsunagi::comm {

namespace {

std::string always(int, const CollectiveCall&) { return {}; }
Bytes none(int, const CollectiveCall&) { return {}; }

}  // namespace

const char* name_of(Collective c) {
  constexpr const char* names[] = {"barrier", "broadcast", "reduce",    "allreduce",
                                   "scatter", "gather",    "allgather", "all_to_all"};
  return names[static_cast<int>(c)];
}

Bytes CollectiveCall::weight() const {
  if (!sizes.empty()) return *std::max_element(sizes.begin(), sizes.end());
  switch (kind) {
    case Collective::scatter:
    case Collective::reduce:
      return out.size;
    default:
      return in.size;
  }
}

const std::vector<Algorithm>& algorithms() {
  using C = Collective;
  static const std::vector<Algorithm> all = {
      {C::barrier, "dissemination", "ceil(log2 p) rounds of one message each way", always, none, dissemination_barrier},
      {C::broadcast, "binomial", "a binomial tree, the largest subtree first", always, none, binomial_broadcast},
      {C::allgather, "ring", "blocks go round a ring of all ranks", always, none, ring_allgather},
  };
  return all;
}

const Algorithm& choose(int ranks, const CollectiveCall& c, const std::string& name) {
  std::string known;
  for (const Algorithm& a : algorithms()) {
    if (a.kind != c.kind) continue;
    if (name.empty() || name == a.name) {
      if (const std::string why = a.refusal(ranks, c); !why.empty())
        throw std::invalid_argument(std::string(name_of(c.kind)) + " by \"" + a.name + "\": " + why);
      return a;
    }
    known += (known.empty() ? "" : ", ") + std::string(a.name);
  }
  throw std::invalid_argument("there is no " + std::string(name_of(c.kind)) + " by \"" + name +
                              "\"; algorithms: " + known);
}

}  // namespace tsunagi::comm
