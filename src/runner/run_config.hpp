// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "config/describe.hpp"
#include "machine/machine_config.hpp"

namespace tsunagi {

/// How a run is simulated; nothing in it describes the machine.
struct RunOptions {
  static constexpr Time least_limit = 1_ns;
  static constexpr Time most_limit = 1000_s;  ///< so far times can be added without a look
  std::int64_t seed = 1;
  int max_train = 64;
  Time limit_simulated_time = 100_s;
};

inline void describe(RunOptions& c, config::Describer& d) {
  using namespace config;
  d.field("seed", c.seed, "the one seed of every named random stream", at_least(std::int64_t{0}));
  d.field("max_train", c.max_train, "packets that may travel as one object; 1 is the reference mode", within(1, 64));
  d.field("limit_simulated_time", c.limit_simulated_time, "a run that is not over by then fails",
          within(RunOptions::least_limit, RunOptions::most_limit));
}

/// A run is a machine + a communication library + a scenario.
struct RunConfig {
  std::string name;
  std::string title;
  MachineConfig machine;
  config::AnyConfig library;
  config::AnyConfig scenario;
  RunOptions options;
};

/// `programs`: whether somebody has to say here what runs on the machine.
inline void describe(RunConfig& c, config::Describer& d, void (*programs)(config::FieldSpec&)) {
  using namespace config;
  d.field("name", c.name, "short name of the run");
  d.field("title", c.title, "one line: what is measured");
  d.object("machine", c.machine, "the machine", required);
  d.any("library", c.library, "library", "the communication library the ranks use", programs);
  d.any("scenario", c.scenario, "scenario", "the program the ranks run", programs);
  d.object("options", c.options, "how to simulate");
}
inline void describe(RunConfig& c, config::Describer& d) { describe(c, d, config::required); }

}  // namespace tsunagi
