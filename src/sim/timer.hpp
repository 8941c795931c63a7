// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/simulation.hpp"

namespace tsunagi::sim {

/// An alarm of an object's: it calls a member function, in whose class it is named as `sim::Timer<&Foo::bar>`.
template <auto Do>
class Timer;

template <typename Owner, void (Owner::*Do)()>
class Timer<Do> final : public Alarm {
 public:
  /// `owner` outlives this.
  explicit Timer(Owner& owner, Phase phase = Phase::arrive) : Alarm(phase), owner_(owner) {}

 private:
  void ring() override { (owner_.*Do)(); }
  Owner& owner_;
};

}  // namespace tsunagi::sim
