// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/communicator.hpp"
#include "report/recorder.hpp"

namespace tsunagi::scenarios {

/// For scenarios whose rates are those of ranks 0 and 1 alone: declares what bounds messages like `b` from rank `from`
/// to the other one, for the rows of the message's method. So much of what a row counts may be there `early`, before
/// its time begins.
inline void declare_bounds(report::Recorder& r, const comm::Communicator& c, int from, const comm::Buffer& b,
                           Bytes early = {}) {
  if (c.ranks() < 2) return;
  for (const comm::Ceiling& ceiling : c.ceilings(from, 1 - from, b))
    r.ceiling({b.method, ceiling.name, ceiling.rate, ceiling.burst + early, from == 1});
}

}  // namespace tsunagi::scenarios
