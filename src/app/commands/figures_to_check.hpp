// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options.hpp>
#include <vector>

#include "figures/figure_files.hpp"

namespace tsunagi::app {

struct FiguresToCheck {
  std::vector<figures::FigureEntry> wanted;
  std::vector<figures::FigureEntry> left_out;  ///< by --quick or --sensitivity: their runs take minutes
};

/// Of these figures those that --system and --id name, else all. Throws UsageError if one is not there, if none of
/// them has a run, unless --require-all has that judged, or if all are left out.
FiguresToCheck figures_to_check(const std::vector<figures::FigureEntry>& all,
                                const boost::program_options::variables_map& values);

}  // namespace tsunagi::app
