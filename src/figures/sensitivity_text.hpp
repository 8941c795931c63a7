// SPDX-License-Identifier: Apache-2.0
// What moves the figures, for people and for programs. All take what was not interrupted.
#pragma once

#include <string>

#include "figures/sensitivity.hpp"

namespace tsunagi::figures {

/// Tables of the figures' intervals and of what takes them out of their tolerances; lists of the parameters that move
/// nothing and of the values that are refused.
std::string text(const Sensitivity& all);

/// `{"figures": [...], "parameters": [...], "unmoving": [...], "refused": [...]}`.
std::string json(const Sensitivity& all);

/// RFC 4180: a line for each figure and value of a parameter of its runs.
std::string csv(const Sensitivity& all);

}  // namespace tsunagi::figures
