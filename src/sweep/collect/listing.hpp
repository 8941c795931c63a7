// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sweep/collect/collect.hpp"

namespace tsunagi::sweep {

/// Index (from 0), id and coordinates of every point: as an aligned table for people, as comma-separated values, as
/// JSON Lines.
void list_as_table(const Points& points, const Output& output);
void list_as_csv(const Points& points, const Output& output);
void list_as_jsonl(const Points& points, const Output& output);

}  // namespace tsunagi::sweep
