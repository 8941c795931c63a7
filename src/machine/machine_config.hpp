// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "config/describe.hpp"

namespace tsunagi {

/// A machine as written: a topology (which holds the parts) with a name.
struct MachineConfig {
  std::string name;
  std::string title;
  config::AnyConfig topology;
};

inline void describe(MachineConfig& c, config::Describer& d) {
  d.field("name", c.name, "short name, as in `tsunagi list machines`", config::required);
  d.field("title", c.title, "one line: what machine this is");
  d.any("topology", c.topology, "topology", "the parts and how they are wired", config::required);
}

}  // namespace tsunagi
