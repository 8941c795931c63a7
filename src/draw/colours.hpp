// SPDX-License-Identifier: Apache-2.0
// Colours after Okabe and Ito, told apart by the colour-blind: what a device or a wire is looks the same in every
// picture. Texts are black on tints, wires differ in dashes, too: so a grey print says as much.
#pragma once

#include <string>

namespace tsunagi::draw {

/// A device's box: a tint, with the full colour as its border.
struct Fill {
  std::string tint;
  std::string border;
};

/// How a line is drawn; `dashes` as SVG writes them, empty: solid.
struct Pen {
  std::string colour;
  double width = 2.2;
  std::string dashes = {};
};

/// Of a device's kind; of one that nobody has given a colour, one that depends on its name alone.
Fill fill_of(const std::string& kind);

/// Where a kind stands in legends: processors before cards before switches; unknown kinds last.
int rank_of(const std::string& kind);

/// Of a wire's kind; wires of one kind that differ in rate or width are variants 0, 1, ….
Pen pen_of(const std::string& kind, std::size_t variant);

/// Of a wire that carried a part (0..1) of the scale of a heat map: from pale and thin to dark and thick.
Pen heat(double part);

}  // namespace tsunagi::draw
