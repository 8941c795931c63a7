// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "comm/rank.hpp"
#include "config/describe.hpp"
#include "report/recorder.hpp"

namespace tsunagi::scenarios {

/// A program that all ranks run, written as the MPI program it stands for.
class Scenario {
 public:
  virtual ~Scenario() = default;
  /// Fewest ranks it makes sense with.
  virtual int ranks() const = 0;
  /// Before all below: what it takes from the machine because nobody gave it.
  virtual void place(const comm::World& /*w*/) {}
  /// Bytes of a rank's buffer that its messages use, with so many ranks in the library.
  virtual Bytes footprint(int ranks) const = 0;
  /// What its collectives need behind that for a while. Asked for when all else fits.
  virtual Bytes scratch(int /*ranks*/) const { return {}; }
  /// Before time 0: what the scenario needs to know of the library that it will run on. Throws config::ConfigError
  /// for what does not go together.
  virtual void fit(comm::World& /*w*/) {}
  /// Whether it may be that messages get lost.
  virtual bool bears_loss() const { return false; }
  /// Declares derived columns, and what bounds them on this library. Called once.
  virtual void declare(report::Recorder& r, const comm::Library& c) const = 0;
  /// One rank's program.
  virtual void program(comm::Rank& rank, report::Recorder& r) = 0;
};

/// One line of the catalog.
struct ScenarioKind {
  config::Kind kind;
  std::function<std::unique_ptr<Scenario>(const config::AnyConfig&)> build;
};

/// That of a program P, made of a config C.
template <class P, class C>
ScenarioKind scenario(const char* name, const char* doc) {
  return {config::kind<C>(name, doc), [](const config::AnyConfig& c) { return std::make_unique<P>(c.as<C>()); }};
}

/// All scenarios, listed by hand in catalog.cpp.
const std::vector<ScenarioKind>& catalog();

std::unique_ptr<Scenario> build(const config::AnyConfig& c);

}  // namespace tsunagi::scenarios
