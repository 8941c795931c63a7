// SPDX-License-Identifier: Apache-2.0
// What may limit a run: the fields that name an ideal value and do not have it.
#pragma once

#include <string>
#include <vector>

#include "config/places/override.hpp"
#include "runner/run_config.hpp"

namespace tsunagi::whatif {

/// One field of one kind of part, wherever the machine has such a part.
struct Limit {
  std::string name;   ///< "hard_ip_cycles of peach2 (2 places)"
  std::string doc;    ///< what the field is, as its config struct describes it
  std::string now;    ///< its distinct values, "1 ns, 10 ns"; at most three
  std::string ideal;  ///< the value at which it limits nothing, "0 ns"
  /// Sets it ideal: for each place its JSON pointer in the run, and the ideal as JSON text.
  std::vector<config::Override> overrides;
};

/// The limits of machine, library and scenario, in the order in which the config describes them. A place that is
/// ideal already is no part of its limit. Those of wires hold for other wires on their paths, too, if these have such a
/// field: the payload of PCIe links for QPI between their root complexes.
std::vector<Limit> limits(const RunConfig& run);

}  // namespace tsunagi::whatif
