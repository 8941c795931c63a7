// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "draw/picture.hpp"

namespace tsunagi::draw {

/// What is drawn so far.
Rect extent(const Picture& picture);

/// Whether its texts are too small on a slide.
bool is_tight(const Picture& picture);

/// Puts the details of nodes beside the network or below it, whatever fills a slide better.
void add_details(Picture& network, std::vector<Picture> details);

/// Title above, legend, scale and notes below; sets the size.
void finish(Picture& picture);

}  // namespace tsunagi::draw
