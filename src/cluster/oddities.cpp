// SPDX-License-Identifier: Apache-2.0
#include "cluster/oddities.hpp"

#include "models/libraries/catalog.hpp"
#include "topo/graph.hpp"

namespace tsunagi {

std::vector<config::Message> oddities(const RunConfig& run) {
  if (run.library.empty()) return {};
  const libraries::LibraryKind& library = libraries::entry(run.library);
  if (!library.oddities) return {};
  try {
    return library.oddities(run.library, topo::build(run.machine.topology));
  } catch (const config::ConfigError&) {
    return {};
  }
}

}  // namespace tsunagi
