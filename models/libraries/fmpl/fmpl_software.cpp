// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/fmpl/fmpl_software.hpp"

#include <algorithm>

namespace tsunagi::libraries {

std::string FmplSoftware::refusal(const std::vector<int>&, const comm::CollectiveCall& c) {
  return c.kind == comm::Collective::barrier ? "" : "FMPL does these by messages";
}

void FmplSoftware::run(Fiber& f, const std::vector<int>& ranks, int rank, const comm::CollectiveCall&) {
  const auto p = static_cast<int>(ranks.size());
  const int me = ranks[static_cast<std::size_t>(rank)];
  std::vector<int> children;
  for (int i = 2 * rank + 1; i <= std::min(2 * rank + 2, p - 1); ++i)
    children.push_back(ranks[static_cast<std::size_t>(i)]);
  for (const int child : children) step_(f, me, "wait for a child", [&] { signals_.hear(f, me, child); });
  if (rank > 0) {
    const int parent = ranks[static_cast<std::size_t>((rank - 1) / 2)];
    step_(f, me, "tell the parent", [&] { signals_.tell(f, me, parent); });
    step_(f, me, "wait for the parent", [&] { signals_.hear(f, me, parent); });
  }
  for (const int child : children) step_(f, me, "tell a child", [&] { signals_.tell(f, me, child); });
}

}  // namespace tsunagi::libraries
