// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/sr8000/hmpp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "models/sr8000/crossbar.hpp"
#include "topo/crossbars_shape.hpp"

namespace tsunagi::libraries {

HardwareBarrier::HardwareBarrier(std::vector<ComBufNode>& nodes, const Machine& m, std::int64_t cycles,
                                 const comm::Steps& step)
    : nodes_(nodes),
      crossbars_(!m.all<sr8000::Crossbar>().empty()),
      cycles_(cycles),
      step_(step),
      last_(nodes.size()) {}

std::string HardwareBarrier::box_refusal(const std::vector<int>& ranks) const {
  const topo::CrossbarsShape* shape = topo::crossbars_shape(nodes_.front().nia().network());
  if (!crossbars_ || shape == nullptr) return "the network has no hardware barrier";
  std::set<int> nodes;
  for (const int rank : ranks) nodes.insert(static_cast<int>(nodes_[static_cast<std::size_t>(rank)].nia().node()));
  std::int64_t box = 1;
  for (int d = 0; d < shape->dimensions(); ++d) {
    int lowest = shape->nodes(), highest = 0;
    for (const int n : nodes) {
      lowest = std::min(lowest, shape->coordinate(n, d));
      highest = std::max(highest, shape->coordinate(n, d));
    }
    box *= highest - lowest + 1;
  }
  if (box == static_cast<std::int64_t>(nodes.size())) return {};
  return fmt::format("{} nodes do not fill a box of the crossbars' dimensions, the smallest around them has {}",
                     nodes.size(), box);
}

std::string HardwareBarrier::refusal(const std::vector<int>& ranks, const comm::CollectiveCall& c) const {
  if (c.kind != comm::Collective::barrier) return "the hardware that is modelled does barriers";
  if (const std::string why = box_refusal(ranks); !why.empty()) return why;
  if (colours_.count(ranks) == 0 && colours_.size() == sr8000::colours)
    return fmt::format("barriers have {} colours, which other groups have", sr8000::colours);
  return {};
}

void HardwareBarrier::run(comm::Fiber& f, const std::vector<int>& ranks, int rank, const comm::CollectiveCall&) {
  const int colour = colours_.emplace(ranks, static_cast<int>(colours_.size())).first->second;
  const int world = ranks[static_cast<std::size_t>(rank)];
  const ComBufNode& n = nodes_[static_cast<std::size_t>(world)];
  const auto [lowest, highest] = std::minmax_element(ranks.begin(), ranks.end());
  const flow::WordBytes call(encode(sr8000::BarrierCall{colour, nodes_[static_cast<std::size_t>(*lowest)].nia().node(),
                                                        nodes_[static_cast<std::size_t>(*highest)].nia().node()}));
  std::uint64_t& last = last_[static_cast<std::size_t>(world)][static_cast<std::size_t>(colour)];
  step_(f, world, "hmpp_barrier", [&] {
    n.core().execute_and_store(f, "hmpp_barrier", cycles_, {{n.nia().barrier_register(), call}});
    n.wait_flag(f, n.barrier_word(colour), last);
  });
}

}  // namespace tsunagi::libraries
