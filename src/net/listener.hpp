// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "units/time.hpp"

namespace tsunagi::net {

/// Every way that time passes.
enum class Stage : std::uint8_t {
  queue,         // arbitration: another packet was served first
  credit,        // no buffer space known at the receiver
  replay_space,  // the sender's replay buffer is full
  datapath,      // beats on a chip's internal bus
  pipeline,      // fixed latency of a chip, in cycles or time
  serialise,     // bytes on a wire
  replay,        // sent in vain: a bit error, NAK or time-out, until the good attempt starts
  flight,        // the cable
  tag,           // no request tag free
  memory,        // memory access
  poll,          // until the polling core has seen it
  step,          // a library's or a core's step
};

/// One stage of one packet (of a train: of its packet `index`).
struct StageEvent {
  std::uint64_t item = 0;
  std::uint64_t parent = 0;
  std::int32_t index = 0;
  Stage stage = Stage::step;
  const std::string* place = nullptr;  // device or wire; outlives the run
  Time begin;
  Time end;
};

/// Hears of every stage. Models never print, trace or count by themselves.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void stage(const StageEvent& e) = 0;
};

}  // namespace tsunagi::net
