// SPDX-License-Identifier: Apache-2.0
// What a page shows beside what `run --format json` writes, as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "config/config.hpp"
#include "topo/graph.hpp"

namespace tsunagi::page {

/// What each direction of a wire carried of what it can, 0..1: from its end a and from its end b.
using DirectionUse = std::pair<double, double>;

/// The devices and the wires of a machine, by their numbers in its graph: {"devices": [{"name", "kind", "config"}],
/// "wires": [{"from", "to", "kind", "config", "rate", "flight", "use": [a, b]}], "configs": [...]}; "config" is a
/// number of "configs", "rate" and "flight" are there where the wire has its own. `uses`: by wire, or none at all.
nlohmann::ordered_json machine_data(const topo::Graph& graph, const std::vector<DirectionUse>& uses);

/// The parameters of a run whose files say where they are from, those of a part that is used in many places once:
/// [{"parameter", "value", "class", "source", "range", "fitted_to", "note", "places"}]. `resolved` is the run's config.
nlohmann::ordered_json parameter_data(const config::Document& document, const nlohmann::ordered_json& resolved);

/// Which pages of docs/ say what is not modelled of the things that this run is made of, by the kinds in its resolved
/// config: [{"of", "page", "section"}].
nlohmann::ordered_json not_modelled(const nlohmann::ordered_json& resolved);

/// An explanation as `explain --format json` writes it, without the stages of paths of more than `most` stages: their
/// sums stand in "sums" [{"device", "stage", "kind", "times", "duration_fs"}] and "segments" is empty. Up to 200,000
/// stages stand as numbers in "spans": of each its number in "sums" ("sum"), its duration, and the time from the end of
/// the one before to its start ("gap_fs").
nlohmann::ordered_json shortened(nlohmann::ordered_json explanation, std::size_t most);

}  // namespace tsunagi::page
