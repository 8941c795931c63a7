// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flow/cause.hpp"
#include "net/listener.hpp"
#include "units/time.hpp"

namespace tsunagi::net {

using flow::Cause;

/// Something that a step of a device waits for: until when, since what, and what observers call it.
struct Wait {
  Time until;
  Cause since;
  net::Stage stage = net::Stage::pipeline;
  const char* what = "";
};

/// What ends last; of those that end together the first.
inline const Wait& later(const Wait& a, const Wait& b) { return b.until > a.until ? b : a; }

}  // namespace tsunagi::net
