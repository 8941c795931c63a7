// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "scenarios/traffic/destination_table.hpp"

namespace tsunagi::scenarios {

/// What a traffic matrix says, a text a sending rank: a number a destination, blanks between them, from 0 on, with up
/// to six decimals ("0 1.5 20 0"). As whole numbers: scaled by the power of ten that the most decimals need. Throws
/// config::ConfigError, at /scenario/matrix or a row of it, if there are not as many rows and numbers as ranks, what is
/// no such number, a rank that would send to itself, more than can be added up, a rank that sends, but less than a
/// millionth of what the most eager one does, or nobody who sends.
DestinationTable read_traffic_matrix(const std::vector<std::string>& rows, int ranks);

}  // namespace tsunagi::scenarios
