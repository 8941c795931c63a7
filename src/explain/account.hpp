// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "explain/history.hpp"
#include "units/bytes.hpp"
#include "units/time.hpp"

namespace tsunagi::explain {

/// One use of a wire's time.
struct Use {
  std::string name;
  Time time;
  bool busy = false;  // the wire carried something; else it was idle for this reason
};

/// What one direction of a wire did from `from` to `to`: its uses sum to that time exactly.
/// Idle time is told by what the next packet waited for meanwhile.
struct Account {
  std::uint32_t channel = 0;
  Time from;
  Time to;
  std::vector<Use> uses;  // all there are, in the order to be printed
  Time busy;              // in sum
  Bytes payload;          // of the packets that ended in the window
  Bytes sent;             // their payload, headers and framing

  /// Payload bytes a second in the window; 0 if it is empty.
  double payload_rate() const;
  /// Payload bytes a second that the wire could carry in packets like these on average, with nothing else on it; 0 if
  /// there were none or the wire is infinitely fast.
  double payload_ceiling(const net::ChannelInfo& info) const;
};

/// The account of one channel over [from, to], from <= to.
Account account(const History& history, std::uint32_t channel, Time from, Time to);

/// The accounts of the `most` channels that were busy for the longest time, the busiest first; none that was idle.
std::vector<Account> busiest(const History& history, Time from, Time to, std::size_t most = 4);

/// Accounts as a text table, a column for each channel, in percent; no text of none.
std::string account_table(const History& history, const std::vector<Account>& accounts);

/// One account, times in femtoseconds, rates in bytes a second.
nlohmann::ordered_json to_json(const History& history, const Account& account);

}  // namespace tsunagi::explain
