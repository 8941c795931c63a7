// SPDX-License-Identifier: Apache-2.0
#include "comm/facets/protocols.hpp"

#include <algorithm>

namespace tsunagi::comm {

std::vector<ProtocolRange> protocol_table(const Protocols& of, int from, int to, Buffer b) {
  std::vector<Bytes> limits = of.limits();
  std::sort(limits.begin(), limits.end());
  limits.erase(limits.begin(), std::lower_bound(limits.begin(), limits.end(), Bytes::zero()));
  limits.erase(std::unique(limits.begin(), limits.end()), limits.end());
  std::vector<ProtocolRange> out;
  const auto add = [&](Bytes size, std::optional<Bytes> most) {
    b.size = size;
    Protocol p = of.protocol(from, to, b);
    if (!out.empty() && out.back().protocol == p)
      out.back().most = most;
    else
      out.push_back({out.empty() ? Bytes::zero() : *out.back().most + Bytes(1), most, std::move(p)});
  };
  for (const Bytes limit : limits) add(limit, limit);
  add(limits.empty() ? Bytes::zero() : limits.back() + Bytes(1), std::nullopt);
  return out;
}

}  // namespace tsunagi::comm
