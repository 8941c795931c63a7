// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/library.hpp"
#include "report/recorder.hpp"
#include "scenarios/between.hpp"

namespace tsunagi::scenarios {

/// For scenarios whose rates are those of two ranks alone: declares what bounds messages like `b` from rank `from` to
/// the other one, for the rows of the message's method. So much of what a row counts may be there `early`, before its
/// time begins.
inline void declare_bounds(report::Recorder& r, const comm::Library& c, const Between& between, int from,
                           const comm::Buffer& b, Bytes early = {}) {
  for (const comm::Ceiling& ceiling : c.ceilings(from, between.peer(from), b))
    r.ceiling({b.method, ceiling.name, ceiling.rate, ceiling.burst + early, from == between.second});
}
/// The same of two-sided messages of `b`'s size and shorter ones.
inline void declare_message_bounds(report::Recorder& r, const comm::Library& c, const Between& between,
                                   const comm::Buffer& b) {
  for (const comm::Ceiling& ceiling : c.message_ceilings(between.first, between.second, b))
    r.ceiling({b.method, ceiling.name, ceiling.rate, ceiling.burst, false});
}

}  // namespace tsunagi::scenarios
