// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/accounts/latencies.hpp"
#include "report/accounts/service.hpp"
#include "report/accounts/wire_use.hpp"
#include "units/bytes.hpp"
#include "units/time.hpp"

namespace tsunagi::report {

/// How often a library did a step, all ranks together, and how long that took.
struct StepAccount {
  std::string step;  ///< "ring the doorbell"
  std::int64_t calls = 0;
  Time total;
  /// Of one call, in whole femtoseconds, rounded down; 0 without any.
  Time mean() const { return calls == 0 ? Time::zero() : Time::from_fs(total.fs() / calls); }
};

/// What somebody has copied of messages' payload on its way.
struct CopyAccount {
  std::int64_t copies = 0;
  Bytes bytes;
};

/// What a run, or a row of it, counted beside what it measured; no part of the digest.
struct Accounts {
  std::vector<StepAccount> steps;  ///< in the order of their names
  std::int64_t messages = 0;       ///< that ranks sent
  Bytes payload;                   ///< of all of them
  CopyAccount by_core;             ///< loads and stores of cores
  CopyAccount by_dma;              ///< engines of cards

  // Of a row that has a window of its own, what was measured in that:
  std::optional<WireAccount> wires = {};
  std::optional<LatencyAccount> latency = {};
  std::optional<ServiceAccount> accepted = {};

  /// The step of that name, or nullptr.
  const StepAccount* find(std::string_view step) const;
};

/// What was counted after `earlier`, a copy of the same accounts, was taken. Neither is of a window.
Accounts since(const Accounts& later, const Accounts& earlier);

/// {"steps": [{"step", "calls", "mean_fs", "total_fs"}], "copies": {"messages", "payload_bytes", "by_core": {"copies",
/// "bytes"}, "by_dma": {…}, "copies_per_message", "copied_bytes_per_message"}}. The last two are null without messages.
/// With a window also "wires", "latency", "accepted", each as its own file says.
nlohmann::ordered_json accounts_to_json(const Accounts& accounts);

/// Reads it; what is derived may be missing. Throws nlohmann::json::exception.
Accounts accounts_from_json(const nlohmann::ordered_json& in);

}  // namespace tsunagi::report
