// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "units/bytes.hpp"

namespace tsunagi::report {

/// How much of what each rank sent arrived within a window, and how fair that is.
struct ServiceAccount {
  struct OfRank {
    int rank = 0;
    Bytes bytes;
  };
  std::int64_t senders = 0;
  OfRank least;  ///< of equals the lowest rank
  OfRank most;
  Bytes mean;                 ///< a sender, rounded down
  std::int64_t jain_ppm = 0;  ///< Jain's index of the bytes over what each offers, in a million; 0 if nothing arrived
};

/// What one rank that sends got through, and its part of what the ranks offer, from 1 on.
struct Served {
  int rank = 0;
  Bytes bytes;
  std::int64_t share = 1;
};

/// Of at least one rank.
ServiceAccount service_account(const std::vector<Served>& ranks);

/// {"senders", "least": {"rank", "bytes"}, "mean_bytes", "most": {"rank", "bytes"}, "jain_ppm"}
nlohmann::ordered_json service_to_json(const ServiceAccount& service);
/// Reads it. Throws nlohmann::json::exception.
ServiceAccount service_from_json(const nlohmann::ordered_json& in);

}  // namespace tsunagi::report
