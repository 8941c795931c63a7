// SPDX-License-Identifier: Apache-2.0
#include "topo/routes/cuts.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "topo/grid.hpp"

namespace tsunagi::topo {

namespace {

/// Numbers of pairs of routers, and their sums over all of a run of senders and a run of receivers.
class PairSums {
 public:
  explicit PairSums(int routers) : side_(static_cast<std::size_t>(routers) + 1), sums_(side_ * side_) {}
  void add(int from, int to, std::int64_t n) { at(from + 1, to + 1) += n; }
  void sum_up() {
    for (int from = 1; from < static_cast<int>(side_); ++from)
      for (int to = 1; to < static_cast<int>(side_); ++to)
        at(from, to) += at(from - 1, to) + at(from, to - 1) - at(from - 1, to - 1);
  }
  /// Out of routers first .. end - 1 into all others.
  std::int64_t out_of(int first, int end) const { return rows(first, end, 0, all()) - rows(first, end, first, end); }
  std::int64_t into(int first, int end) const { return rows(0, all(), first, end) - rows(first, end, first, end); }

 private:
  int all() const { return static_cast<int>(side_) - 1; }
  std::int64_t rows(int first, int end, int to, int to_end) const {
    return at(end, to_end) - at(first, to_end) - at(end, to) + at(first, to);
  }
  std::size_t index(int from, int to) const {
    return static_cast<std::size_t>(from) * side_ + static_cast<std::size_t>(to);
  }
  std::int64_t& at(int from, int to) { return sums_[index(from, to)]; }
  std::int64_t at(int from, int to) const { return sums_[index(from, to)]; }

  std::size_t side_;
  std::vector<std::int64_t> sums_;
};

/// Cuts round the runs of routers that follow each other where each stands at its `place`.
void for_runs(const Network& network, const std::vector<int>& place, const Weight& weight,
              const std::function<std::int64_t(int, int)>& capacity, const std::function<void(const Cut&)>& visit) {
  const int routers = network.routers();
  const auto place_of = [&](int r) { return place[static_cast<std::size_t>(r)]; };
  PairSums traffic(routers), cables(routers);
  for (int from = 0; from < network.terminals(); ++from)
    for (int to = 0; to < network.terminals(); ++to)
      traffic.add(place_of(network.router_of(from)), place_of(network.router_of(to)), weight(from, to));
  for (int r = 0; r < routers; ++r)
    for (int p = 0; p < network.ports(r); ++p)
      if (const Network::Peer& peer = network.peer(r, p); peer.kind == Network::Peer::Kind::router)
        cables.add(place_of(r), place_of(peer.number), capacity(r, p));
  traffic.sum_up();
  cables.sum_up();
  for (int first = 0; first < routers; ++first)
    for (int end = first + 1; end <= routers; ++end) {
      if (const std::int64_t out = traffic.out_of(first, end); out > 0) visit({out, cables.out_of(first, end)});
      if (const std::int64_t in = traffic.into(first, end); in > 0) visit({in, cables.into(first, end)});
    }
}

/// Places of a grid's routers where dimension `d` runs slowest, the others as in their numbers.
std::vector<int> places_along(const Grid& grid, int d) {
  std::vector<int> order(static_cast<std::size_t>(grid.routers()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return grid.coordinate(a, d) < grid.coordinate(b, d); });
  std::vector<int> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  return place;
}

}  // namespace

void for_cuts(const Network& network, const Weight& weight, const std::function<std::int64_t(int, int)>& capacity,
              const std::function<void(const Cut&)>& visit) {
  std::vector<int> numbers(static_cast<std::size_t>(network.routers()));
  std::iota(numbers.begin(), numbers.end(), 0);
  for_runs(network, numbers, weight, capacity, visit);
  if (network.grid() == nullptr) return;
  const Grid& grid = *network.grid();
  for (int d = 0; d < grid.dimensions(); ++d)
    if (const std::vector<int> place = places_along(grid, d); place != numbers)
      for_runs(network, place, weight, capacity, visit);
}

}  // namespace tsunagi::topo
