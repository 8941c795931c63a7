// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sim/simulation.hpp"

namespace tsunagi::net {

/// How far ahead of simulated time a channel may grant the packets of a train.
enum class Reach : std::uint8_t {
  full,     // as far as all that is known allows
  bounded,  // only as far as a packet that the reverse flow sends now could matter, on credits in hand
  known,    // only as far as nothing that is not known yet can matter, whoever sends it
  single,   // packet by packet
};

/// What a run found out about its own foresight. Trains are granted on what is known; something that turns up
/// later may show that too much was handed on. Such a run is worth nothing: it stops, and is done again with
/// the channels that were wrong, and all that are like them, more careful from the start, until none is. What goes
/// wrong at one node goes wrong at the next one later: found one by one, there would be as many attempts as nodes.
class Foresight {
 public:
  /// What the attempts before found out: empty for the first, else `findings()` of the last.
  /// Throws std::invalid_argument for any other text.
  /// `trains`: packets travel as trains; else nothing is granted ahead of its time.
  Foresight(sim::Simulation& sim, const std::string& findings, bool trains);

  /// How far channels may reach that are numbered so, all that are like each other.
  Reach reach(std::uint32_t like) const;
  /// Whether anything may be granted ahead of its time: not in the reference mode, nor when enough has been tried.
  bool ahead() const { return trains_ && attempts_ < 6; }
  /// What one of those handed on was wrong; with `reach` it would not have been. The run goes on for a while, to
  /// find others, then it ends with `Refuted`.
  void refute(std::uint32_t like, Reach reach);
  bool refuted() const { return refuted_; }
  /// For the next attempt.
  std::string findings() const;

  /// Thrown out of a run that has gone on for long enough after it was refuted.
  struct Refuted {};

 private:
  struct Stop final : sim::Alarm {
    Stop() : Alarm(sim::Phase::arrive) {}
    void ring() override { throw Refuted{}; }
  };
  sim::Agenda& agenda_;
  std::map<std::uint32_t, Reach> reaches_;
  int attempts_ = 0;
  bool trains_;
  bool refuted_ = false;
  Stop stop_;
};

}  // namespace tsunagi::net
