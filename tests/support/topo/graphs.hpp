// SPDX-License-Identifier: Apache-2.0
// Irregular networks by hand and at random. Pure.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "stats/random.hpp"
#include "topo/network.hpp"

namespace tsunagi::test {

/// Routers, the cables between them, and the terminals at each.
struct Shape {
  int routers = 0;
  std::vector<std::pair<int, int>> edges;
  std::vector<int> terminals;
};

/// Without routes: ports "p0", "p1", … for the edges in their order, then "t0", … for terminals.
inline topo::Network graph_network(const Shape& shape) {
  const auto count = static_cast<std::size_t>(shape.routers);
  std::vector<std::vector<std::string>> ports(count);
  const auto add = [&](int router, const char* kind, std::size_t number) {
    ports[static_cast<std::size_t>(router)].push_back(kind + std::to_string(number));
  };
  for (const auto& [a, b] : shape.edges)
    for (const int r : {a, b}) add(r, "p", ports[static_cast<std::size_t>(r)].size());
  for (int r = 0; r < shape.routers; ++r)
    for (int t = 0; t < shape.terminals[static_cast<std::size_t>(r)]; ++t) add(r, "t", static_cast<std::size_t>(t));
  topo::Network net;
  for (std::size_t r = 0; r < count; ++r) net.add_router({}, topo::port_names(ports[r]));
  std::vector<int> next(count);
  const auto port = [&](int router) { return topo::RouterPort{router, next[static_cast<std::size_t>(router)]++}; };
  for (const auto& [a, b] : shape.edges) {
    const topo::RouterPort from = port(a);
    net.join(from, port(b), {});
  }
  for (int r = 0; r < shape.routers; ++r)
    for (int t = 0; t < shape.terminals[static_cast<std::size_t>(r)]; ++t) net.attach(port(r), {});
  return net;
}

/// Connected, of 2 to `most` routers; some cables are parallel, some routers have no terminals.
inline Shape random_shape(stats::RandomStream& random, int most) {
  Shape out;
  out.routers = 2 + static_cast<int>(random.below(most - 1));
  const auto any = [&](int below) { return static_cast<int>(random.below(below)); };
  for (int r = 1; r < out.routers; ++r) out.edges.emplace_back(r, any(r));
  for (int extra = any(2 * out.routers); extra > 0; --extra) {
    const int a = any(out.routers);
    const int b = any(out.routers);
    if (a != b) out.edges.emplace_back(a, b);
  }
  for (int r = 0; r < out.routers; ++r) out.terminals.push_back(any(4));
  out.terminals.front() += 1;
  out.terminals.back() += 1;
  return out;
}

/// Fewest cables between all routers, by Floyd and Warshall.
inline std::vector<std::vector<int>> hop_counts(const Shape& shape) {
  const auto n = static_cast<std::size_t>(shape.routers);
  std::vector<std::vector<int>> d(n, std::vector<int>(n, shape.routers));
  for (std::size_t r = 0; r < n; ++r) d[r][r] = 0;
  for (const auto& [a, b] : shape.edges)
    d[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] =
        d[static_cast<std::size_t>(b)][static_cast<std::size_t>(a)] = 1;
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) d[i][j] = std::min(d[i][j], d[i][k] + d[k][j]);
  return d;
}

/// Routers from one terminal to another, in the order in which packets pass them.
inline std::vector<int> routers_between(const topo::Network& network, int from, int to) {
  std::vector<int> out;
  network.walk(from, to, [&out](int at, topo::Hop) { out.push_back(at); });
  return out;
}

}  // namespace tsunagi::test
