// SPDX-License-Identifier: Apache-2.0
// Where things are in the picture of a plot, in pixels from its upper left corner.
#pragma once

#include <string>
#include <vector>

#include "plot/scales.hpp"

namespace tsunagi::plot {

struct Box {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

/// A lecture's slide: one panel, or two side by side, further ones below; under them the legend in as many columns as
/// fit. Panels keep their size: a long legend makes the picture higher.
class Page {
 public:
  static constexpr int width = 1280;
  static constexpr double font = 17;        ///< of axes and tics
  static constexpr double small_font = 15;  ///< of the legend and of labels

  explicit Page(const Plot& plot);

  double height() const { return legend_top_ + legend_height_ + 10; }
  double legend_top() const { return legend_top_; }
  int legend_columns() const { return legend_columns_; }
  Box panel(std::size_t number) const;
  std::size_t columns() const { return columns_; }

 private:
  std::size_t columns_ = 1;
  double legend_top_ = 0;
  double legend_height_ = 0;
  int legend_columns_ = 1;
  double panel_height_ = 0;
};

/// Entries of the legend, in order.
std::vector<std::string> legend_of(const Plot& plot);

/// Whether the names of categories are too long to stand side by side.
bool slanted(const Plot& plot);

/// The plot with names of curves, and of categories that end at their bars, within the picture: the ends of longer ones
/// become an ellipsis.
Plot with_fitting_names(Plot plot);

/// Letters of a text, as a reader counts them.
std::size_t letters_of(const std::string& text);

/// A text beside a point of a panel.
struct PlacedText {
  std::vector<std::string> lines;
  Box at;
  bool far = false;  ///< so far from its point that a thin line should lead there
  double x = 0;      ///< of the point, in pixels
  double y = 0;
};

/// Published values (value and id) and ceilings of a panel as texts that lie on no point and on no other text, and on
/// no curve if there is such a place.
std::vector<PlacedText> place_texts(const Plot& plot, const Panel& panel, const Box& at);

}  // namespace tsunagi::plot
