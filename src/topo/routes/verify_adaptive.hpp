// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topo/routes/adaptive.hpp"
#include "topo/routes/verify.hpp"

namespace tsunagi::topo {

/// `verify` of routes that choose: every way that any packet of a pair may take has to arrive, and no circle of
/// waiting may close over all of them.
Verdict verify_adaptive(const Network& network, const AdaptiveRoutes& routes, bool classes);

}  // namespace tsunagi::topo
