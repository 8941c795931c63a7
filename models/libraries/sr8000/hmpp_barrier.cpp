// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/sr8000/hmpp_barrier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/sr8000/crossbar.hpp"
#include "topo/crossbars_shape.hpp"

namespace tsunagi::libraries {

HmppBarrier::HmppBarrier(comm::ByRank<ComBufNode>& nodes, const Machine& m, std::int64_t cycles)
    : nodes_(nodes), crossbars_(!m.all<sr8000::Crossbar>().empty()), cycles_(cycles), last_(nodes.size()) {}

std::pair<std::uint32_t, std::uint32_t> HmppBarrier::corners(const std::vector<int>& ranks) const {
  const auto [lowest, highest] = std::minmax_element(ranks.begin(), ranks.end());  // nodes have the order of ranks
  return {nodes_[*lowest].nia().node(), nodes_[*highest].nia().node()};
}

std::string HmppBarrier::refusal(const std::vector<int>& ranks, int uses) {
  std::string why = box_refusal(ranks);
  return why.empty() ? colour_refusal(ranks, uses) : why;
}

std::string HmppBarrier::box_refusal(const std::vector<int>& ranks) const {
  const topo::CrossbarsShape* shape = topo::crossbars_shape(nodes_.front().nia().network());
  if (!crossbars_ || shape == nullptr) return "the network has no hardware for it";
  std::set<int> nodes;
  for (const int rank : ranks) nodes.insert(static_cast<int>(nodes_[rank].nia().node()));
  std::int64_t box = 1;
  for (int d = 0; d < shape->dimensions(); ++d) {
    int lowest = shape->nodes(), highest = 0;
    for (const int n : nodes) {
      lowest = std::min(lowest, shape->coordinate(n, d));
      highest = std::max(highest, shape->coordinate(n, d));
    }
    box *= highest - lowest + 1;
  }
  if (box != static_cast<std::int64_t>(nodes.size()))
    return fmt::format("{} nodes do not fill a box of the crossbars' dimensions, the smallest around them has {}",
                       nodes.size(), box);
  return {};
}

std::string HmppBarrier::colour_refusal(const std::vector<int>& ranks, int uses) {
  int missing = 0;
  for (int use = 0; use < uses; ++use) missing += colours_.count({ranks, use}) == 0 ? 1 : 0;
  if (static_cast<int>(colours_.size()) + missing > sr8000::colours)
    return fmt::format("barriers have {} colours, which other groups have", sr8000::colours);
  for (int use = 0; use < uses; ++use) colour(ranks, use);
  return {};
}

int HmppBarrier::colour(const std::vector<int>& ranks, int use) {
  return colours_.emplace(std::pair(ranks, use), static_cast<int>(colours_.size())).first->second;
}

void HmppBarrier::come(Fiber& f, const std::vector<int>& ranks, int rank, int colour) {
  const ComBufNode& n = nodes_[rank];
  const auto [first, last] = corners(ranks);
  const flow::WordBytes call(encode(sr8000::BarrierCall{colour, first, last}));
  n.core().execute_and_store(f, "hmpp_barrier", cycles_, {{n.nia().barrier_register(), call}});
}

void HmppBarrier::wait(Fiber& f, int rank, int colour) {
  nodes_[rank].wait_flag(f, nodes_[rank].barrier_word(colour), last_[rank][static_cast<std::size_t>(colour)]);
}

}  // namespace tsunagi::libraries
