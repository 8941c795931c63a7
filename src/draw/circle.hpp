// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "draw/picture.hpp"
#include "topo/graph.hpp"

namespace tsunagi::draw {

/// Marks the wires of one circle in which packets can wait for each other, in the first of the machine's networks that
/// has one, and numbers them in the order of waiting; a note names them, or says that there is none. `links` are the
/// machine's links of each line. Classes of virtual channels keep circles open where no router says "deadlock_free":
/// false.
void mark_circle(Picture& picture, const std::vector<std::vector<std::size_t>>& links, const topo::Graph& graph);

}  // namespace tsunagi::draw
