// SPDX-License-Identifier: Apache-2.0
// A machine's picture as a value: what is where, in pixels, nothing yet of a file format.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "draw/colours.hpp"
#include "draw/layouts/geometry.hpp"

namespace tsunagi::draw {

/// A device, or a node drawn as one.
struct Box {
  Rect at;
  std::vector<std::string> lines;  ///< the first one is its name; none where there is no space
  std::string tip;                 ///< shown when the pointer rests on it
  Fill fill;
  double font = 12;   ///< of the name; further lines are smaller
  bool many = false;  ///< it stands for several
};

/// What holds the devices of a group (a node of the machine).
struct Frame {
  Rect at;
  std::string title;
  double font = 13;
};

/// A link: one path, or two stubs that stand for one that would cross the whole picture.
struct Line {
  std::vector<Path> paths;
  std::string tip;
  Pen pen;
  bool faint = false;  ///< runs beside others
  double corner = 0;   ///< radius that rounds the corners of its paths
};

/// Text on a link.
struct Label {
  Rect at;
  std::vector<std::string> lines;
  bool framed = false;  ///< lies inside a frame
};

/// What a colour stands for.
struct Entry {
  std::string text;
  std::optional<Fill> fill;  ///< of a box; else a line of `pen`
  Pen pen = {};
  Rect at = {};
};

/// The colours of a heat map, from nothing to `most`.
struct Scale {
  std::string text;  ///< what they tell
  std::string most;
  Rect at = {};
};

struct Picture {
  Size size;
  std::string title;
  std::vector<std::string> notes;  ///< lines below all: how to read it, if that is not plain
  std::vector<Box> boxes;          ///< one a node of the condensed graph, in its order; then those of nodes in detail
  std::vector<Frame> frames;
  std::vector<Line> lines;  ///< one a link, in the same order
  std::vector<Label> labels;
  std::vector<Entry> legend;
  std::optional<Scale> scale;
  std::size_t network_boxes = 0;  ///< so many boxes and lines in front are the network; the others are details of nodes
  std::size_t network_lines = 0;
  std::vector<std::vector<std::size_t>> devices;  ///< of the machine's graph that each box stands for
  std::vector<std::vector<std::size_t>> wires;    ///< of the machine's graph that each line stands for
};

/// Width of a text in a common sans-serif font of that size, rather too large than too small.
double text_width(const std::string& text, double font, bool bold = false);

/// Sizes of texts, in pixels.
constexpr double title_font = 18;
constexpr double legend_font = 13;
constexpr double label_font = 12;

/// What of a picture programs can find.
enum class Marks {
  none,   ///< a file of its own
  parts,  ///< part of a page: no XML declaration; each line is a group of class "wire" with its wires' numbers in
          ///< "data-wires", each box one of class "device" with "data-devices"
};

/// The picture as SVG 1.1.
std::string svg(const Picture& picture, Marks marks = Marks::none);

}  // namespace tsunagi::draw
