// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/files/config_files.hpp"
#include "config/config.hpp"
#include "plot/plot.hpp"

namespace tsunagi::app {

/// Adds the published figures, of those in `configs`, that the run of this document reproduces and that say where a
/// plot shows them. A run is the one of a figure if at least one of its keys (machine, library, scenario) was written
/// in the figure's run file, so that what uses that file and changes some of it counts, too. Figures that cannot be
/// read are told and left out.
void add_published(plot::Plot& plot, const config::Document& run, const Configs& configs);

}  // namespace tsunagi::app
