// SPDX-License-Identifier: Apache-2.0
// Parts of `report` and of `check --html` that ask nobody to simulate.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace tsunagi::app {

/// Throws UsageError if this program was built without the code of pages.
void check_pages();

/// What `run --format json` wrote, if that is what `word` names: a file, or standard input ("-"). Throws
/// config::ConfigError for a result whose parts are not what they have to be.
std::optional<nlohmann::ordered_json> result_in(const std::string& word);

/// The page about data["result"]. Of a run (it has a config, "run") it adds the picture of its machine, with wires as
/// busy as its counters say, what is in the machine, and what is not modelled of it. A machine that this version cannot
/// build any more has no picture: "no_picture" says why. `title`: that of the run; empty: the one in the result.
std::string report_page(nlohmann::ordered_json data, const std::string& title);

}  // namespace tsunagi::app
