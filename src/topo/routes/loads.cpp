// SPDX-License-Identifier: Apache-2.0
#include "topo/routes/loads.hpp"

#include <algorithm>

namespace tsunagi::topo {

Loads::Loads(const Network& network, const Weight& weight) : network_(network) {
  std::vector<std::int64_t> sent(static_cast<std::size_t>(network.terminals()));
  passing_ = network.routes().loads(network, [&](int from, int to) {
    const std::int64_t w = weight(from, to);
    sent[static_cast<std::size_t>(from)] += w;
    return w;
  });
  for (const std::int64_t s : sent) most_sent_ = std::max(most_sent_, s);
}

std::vector<std::int64_t> Routes::loads(const Network& network, const Weight& weight) const {
  std::vector<std::int64_t> out(network.all_ports());
  for (int from = 0; from < network.terminals(); ++from)
    for (int to = 0; to < network.terminals(); ++to)
      if (const std::int64_t w = weight(from, to); w != 0)
        network.walk(from, to, [&](int at, Hop hop) { out[network.port_index(at, hop.port)] += w; });
  return out;
}

}  // namespace tsunagi::topo
