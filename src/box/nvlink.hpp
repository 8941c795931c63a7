// SPDX-License-Identifier: Apache-2.0
// Which GPUs of a server NVLink joins.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "box/places.hpp"

namespace tsunagi::box {

/// The NVLink links by which GPU `a` reaches GPU `b`, in the order of its ports: wired to it, or to switches, and then
/// those from there to `b`, too. Empty: none do, or one is no GPU.
struct NvlinkWay {
  std::size_t links = 0;              ///< of `a`
  std::vector<std::size_t> all = {};  ///< in the graph, those of `a` first
};
NvlinkWay nvlink_way(const topo::Graph& graph, const Place& a, const Place& b);

/// Whether a machine has such links at all.
bool has_nvlink(const topo::Graph& graph);

/// "over 12 links of NVLink 3".
std::string said_of(const topo::Graph& graph, const NvlinkWay& way);

}  // namespace tsunagi::box
