// SPDX-License-Identifier: Apache-2.0
#include "topo/routes/deadlock.hpp"

#include <algorithm>

namespace tsunagi::topo {

namespace {

/// Dependencies sorted by holder: those of channel c are wants[first[c]] .. wants[first[c + 1]].
struct Adjacency {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> wants;

  Adjacency(std::uint32_t channels, const std::vector<Dependency>& all) : first(channels + 1), wants(all.size()) {
    for (const Dependency& d : all) ++first[d.holds + 1];
    for (std::uint32_t c = 0; c < channels; ++c) first[c + 1] += first[c];
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    for (const Dependency& d : all) wants[next[d.holds]++] = d.wants;
  }
};

/// Some cycle; empty: there is none.
std::vector<std::uint32_t> any_cycle(std::uint32_t channels, const Adjacency& graph) {
  enum class Mark : std::uint8_t { unseen, on_path, done };
  std::vector<Mark> marks(channels, Mark::unseen);
  std::vector<std::uint32_t> next(graph.first.begin(), graph.first.end() - 1);
  std::vector<std::uint32_t> path;
  for (std::uint32_t root = 0; root < channels; ++root) {
    if (marks[root] != Mark::unseen) continue;
    path.push_back(root);
    marks[root] = Mark::on_path;
    while (!path.empty()) {
      const std::uint32_t c = path.back();
      if (next[c] == graph.first[c + 1]) {
        marks[c] = Mark::done;
        path.pop_back();
        continue;
      }
      const std::uint32_t wanted = graph.wants[next[c]++];
      if (marks[wanted] == Mark::on_path) return {std::find(path.begin(), path.end(), wanted), path.end()};
      if (marks[wanted] == Mark::done) continue;
      marks[wanted] = Mark::on_path;
      path.push_back(wanted);
    }
  }
  return {};
}

/// The shortest way from a channel back to itself, of fewer than `most` steps; else empty.
std::vector<std::uint32_t> shortest_back(std::uint32_t from, std::uint32_t channels, const Adjacency& graph,
                                         std::size_t most) {
  std::vector<std::uint32_t> before(channels, channels);  // by channel; `channels`: nobody was there
  std::vector<std::uint32_t> reached{from};
  std::size_t end = 1;
  for (std::size_t at = 0, steps = 1; at < reached.size() && steps < most; ++steps, end = reached.size())
    for (; at < end; ++at)
      for (std::uint32_t d = graph.first[reached[at]]; d < graph.first[reached[at] + 1]; ++d) {
        const std::uint32_t next = graph.wants[d];
        if (before[next] != channels) continue;
        before[next] = reached[at];
        if (next != from) {
          reached.push_back(next);
          continue;
        }
        std::vector<std::uint32_t> out{reached[at]};
        while (out.back() != from) out.push_back(before[out.back()]);
        std::reverse(out.begin(), out.end());
        return out;
      }
  return {};
}

}  // namespace

std::vector<std::uint32_t> dependency_cycle(std::uint32_t channels, const std::vector<Dependency>& dependencies) {
  const Adjacency graph(channels, dependencies);
  std::vector<std::uint32_t> out = any_cycle(channels, graph);
  for (const std::uint32_t c : std::vector<std::uint32_t>(out))
    if (std::vector<std::uint32_t> shorter = shortest_back(c, channels, graph, out.size()); !shorter.empty())
      out = std::move(shorter);
  return out;
}

}  // namespace tsunagi::topo
