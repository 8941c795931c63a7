// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "fit/fit.hpp"

namespace tsunagi::fit {

/// The files of the fitted parameters with the values that were found; what "$sources" says of each is then that it is
/// fitted, to which data (their hashes, too), how well it is known, and what it was before. All else stays as it is.
/// Throws DataError for a file that cannot be read.
std::map<std::filesystem::path, std::string> fitted_parts(const Problem& problem, const Fit& fit);

}  // namespace tsunagi::fit
