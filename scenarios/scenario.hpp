// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "comm/rank.hpp"
#include "config/describe.hpp"
#include "report/recorder.hpp"

namespace tsunagi::scenarios {

/// Which of its rates a scenario has from ranks 0 and 1 alone: none, from 0 to 1, or those of messages to and fro,
/// whose times are means of both directions.
enum class Bounded : std::uint8_t { no, one_way, to_and_fro };

/// A program that all ranks run, written as the MPI program it stands for.
class Scenario {
 public:
  virtual ~Scenario() = default;
  /// Fewest ranks it makes sense with.
  virtual int ranks() const = 0;
  /// Bytes of a rank's buffer that it uses.
  virtual Bytes footprint() const = 0;
  /// The library's methods that it uses; {""}: the default.
  virtual std::vector<std::string> methods() const { return {""}; }
  /// What the library's ceilings between ranks 0 and 1 bound.
  virtual Bounded bounded() const { return Bounded::one_way; }
  /// A message of `size` that it sends by `method`: its places.
  virtual comm::Buffer message(const std::string& method, Bytes size) const { return {{}, size, {}, method}; }
  /// Before time 0: what the scenario needs to know of the library that it will run on. Throws config::ConfigError
  /// for what does not go together.
  virtual void fit(comm::Communicator& /*c*/) {}
  /// Declares derived columns. Called once.
  virtual void declare(report::Recorder& r) const = 0;
  /// One rank's program.
  virtual void program(comm::Rank& rank, report::Recorder& r) = 0;
};

/// One line of the catalog.
struct ScenarioKind {
  config::Kind kind;
  std::function<std::unique_ptr<Scenario>(const config::AnyConfig&)> build;
};

/// All scenarios, listed by hand in catalog.cpp.
const std::vector<ScenarioKind>& catalog();

/// Throws config::ConfigError unless `method` is one of the library's `known` ones or empty, which names its default.
void check_method(const std::string& method, const std::vector<std::string>& known);

std::unique_ptr<Scenario> build(const config::AnyConfig& c);

}  // namespace tsunagi::scenarios
