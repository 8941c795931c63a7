// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "fit/estimate.hpp"
#include "fit/problem.hpp"

namespace tsunagi::fit {

/// How a fit ended.
enum class Ending {
  found,        ///< nothing better is near
  out_of_runs,  ///< the best of the runs that it was given
  interrupted,  ///< the best until Ctrl-C
};

struct Fit {
  Ending ending = Ending::found;
  Shares at;         ///< the best place
  Simulated before;  ///< with the values that the parts have
  Simulated after;   ///< there
  std::size_t runs = 0;
  std::optional<Estimate> estimate;  ///< none if runs were too few for it, or it was interrupted
};

/// Searches, then looks how well the best place is known. Takes at most `most_runs` runs (but at least those of the
/// place as it is). Nothing if it was interrupted before that. Throws as Problem::simulate.
std::optional<Fit> fit(const Problem& problem, std::size_t most_runs, const runner::Simulate& simulate,
                       const runner::Options& options);

}  // namespace tsunagi::fit
