// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "topo/dragonfly_shape.hpp"
#include "topo/network.hpp"
#include "topo/routes/choice.hpp"

namespace tsunagi::topo {

/// The routes of a dragonfly; rules in topo/dragonfly.hpp. Of two groups or one they are minimal, whatever is asked
/// for.
std::shared_ptr<const Routes> dragonfly_routes(const DragonflyShape& shape, DragonflyRouting routing,
                                               const ChoiceConfig& choice);

}  // namespace tsunagi::topo
