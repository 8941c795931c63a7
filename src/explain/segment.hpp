// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "units/time.hpp"

namespace tsunagi::explain {

/// What a piece of a message's time is spent on.
enum class Kind : std::uint8_t {
  step,          // instructions of a core
  core,          // another program has the core
  poll,          // until the polling core has seen it
  pipeline,      // fixed latency of a chip
  memory,        // memory access
  tag,           // no request tag free
  buffer,        // no buffer space free in the device itself
  credit,        // no buffer space known at the receiver
  replay_space,  // the sender's replay buffer is full
  arbitration,   // packets of another source are served first
  queue,         // packets of the same source are served first
  clock,         // until the clock edge
  datapath,      // the chip's internal bus is slower than the wire
  wire_busy,     // the wire carries something else, or waits for its word clock
  replay,        // sent in vain: from the first attempt to the good one
  serialise,     // bytes on the wire
  flight,        // the cable
  unexplained,   // no event tells
};
constexpr int kinds = static_cast<int>(Kind::unexplained) + 1;

/// "credit_wait": the kind in JSON.
const char* name(Kind k);

/// One piece of time: `device` is a device's name or a wire's (net::ChannelInfo::name), `what` the stage's name.
struct Segment {
  std::string device;
  std::string what;
  Kind kind = Kind::unexplained;
  Time begin;
  Time end;
};

}  // namespace tsunagi::explain
