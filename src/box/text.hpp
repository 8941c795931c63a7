// SPDX-License-Identifier: Apache-2.0
// A matrix for people and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "box/causes.hpp"
#include "box/matrix.hpp"

namespace tsunagi::box {

/// A table for each thing that is measured, with a letter for what limits each cell and a number for why one is not
/// simulated; below them what these mean, and of each measured value the verdict with its causes.
std::string text(const Matrix& m, const std::vector<Comparison>& compared);

/// A line a cell: from,to,what,socket,value,unit,low,high,limit,where,how,not_simulated; of measured ones also
/// measured,verdict,causes.
std::string csv(const Matrix& m, const std::vector<Comparison>& compared);

/// {"node", "places": [...], "cells": [...], "compared": [...]}; rates in bytes a second, times in seconds.
nlohmann::ordered_json to_json(const Matrix& m, const std::vector<Comparison>& compared);

/// "14.3", "9.45": GB/s, or us of a latency.
std::string number_in(What what, double value);
/// "14.3 GB/s", "9.45 us".
std::string shown(What what, double value);
/// "One way", "All at once".
const char* title_of(What what);
/// The heading of what is measured, with its unit.
const char* heading_of(What what);

/// The tables as a heat map, SVG: each in its own scale of colours, values in the cells.
std::string heat_map(const Matrix& m, const std::string& title);

}  // namespace tsunagi::box
