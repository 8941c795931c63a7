// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "units/time.hpp"

namespace tsunagi::report {

/// One direction of a wire, by the ports at its ends, and for how long packets occupied it.
struct WireUse {
  std::string from;  ///< "node0.nic"
  std::string to;
  Time busy;
};

/// How much of a window packets occupied the directions of all wires.
struct WireAccount {
  static constexpr std::size_t most_named = 10;

  Time window;
  std::int64_t directions = 0;   ///< of all wires
  std::int64_t idle = 0;         ///< of those: carried nothing
  std::int64_t mean_ppm = 0;     ///< share of the window, the mean of all directions; in a million, rounded down
  std::vector<WireUse> busiest;  ///< up to ten that carried something, the busiest first, of equals the machine's first
  std::int64_t ppm(Time busy) const;
  std::int64_t most_ppm() const { return busiest.empty() ? 0 : ppm(busiest.front().busy); }
};

/// From how long each direction was busy, in the machine's order; `ends(i)` names those of direction `i`. The window is
/// longer than nothing.
WireAccount wire_account(Time window, const std::vector<Time>& busy,
                         const std::function<std::pair<std::string, std::string>(std::size_t)>& ends);

/// {"window_fs", "directions", "idle", "mean_ppm", "max_ppm", "busiest": [{"from", "to", "busy_fs", "use_ppm"}]}
nlohmann::ordered_json wires_to_json(const WireAccount& wires);
/// Reads it; what is derived may be missing. Throws nlohmann::json::exception.
WireAccount wires_from_json(const nlohmann::ordered_json& in);

}  // namespace tsunagi::report
