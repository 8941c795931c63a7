// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "config/config.hpp"
#include "runner/run_config.hpp"

namespace tsunagi::test {

/// The one kind of every family here.
struct AnythingConfig {
  std::string what;
  Bytes size = 8_B;
};

inline void describe(AnythingConfig& c, config::Describer& d) {
  d.field("what", c.what, "what the fake simulation is to do");
  d.field("size", c.size, "a size", config::at_most(1_MiB));
}

/// Families with one kind each, "anything".
inline const config::Kinds& fake_kinds() {
  static const config::Kinds kinds = [] {
    config::Kinds all;
    for (const char* family : {"device", "wire", "topology", "library", "scenario"})
      all.add({family, {config::kind<AnythingConfig>("anything", "whatever a test needs")}});
    return all;
  }();
  return kinds;
}

/// The text of a run whose fake simulation is told `what` to do.
inline std::string run_text(const std::string& what) {
  return R"({"machine": {"name": "m", "topology": {"kind": "anything"}},
 "library": {"kind": "anything"},
 "scenario": {"kind": "anything", "what": ")" +
         what + "\"}}";
}

inline RunConfig fake_run(const std::string& what) {
  return config::read<RunConfig>(config::parse(run_text(what), what + ".json"), fake_kinds());
}

/// What the run's fake simulation is to do.
inline const std::string& what_of(const RunConfig& run) { return run.scenario.as<AnythingConfig>().what; }

}  // namespace tsunagi::test
