// SPDX-License-Identifier: Apache-2.0
// A machine's picture as a value: what is where, in pixels, nothing yet of a file format.
#pragma once

#include <string>
#include <vector>

#include "draw/geometry.hpp"

namespace tsunagi::draw {

/// A device; `style` is the number of its colour.
struct Box {
  Rect at;
  std::vector<std::string> lines;  ///< the first one is its name; none where there is no space
  std::string tip;                 ///< shown when the pointer rests on it
  int style = 0;
};

/// What holds the devices of a group (a node of the machine).
struct Frame {
  Rect at;
  std::string title;
};

/// A link: one path, or two stubs that stand for one that would cross the whole picture.
struct Line {
  std::vector<Path> paths;
  std::string tip;
  int style = 0;
  bool faint = false;  ///< runs beside others
  double corner = 0;   ///< radius that rounds the corners of its paths
};

/// Text on a link.
struct Label {
  Rect at;
  std::vector<std::string> lines;
  bool framed = false;  ///< lies inside a frame
};

/// A colour and what it stands for.
struct Entry {
  std::string text;
  int style = 0;
  Rect at;
};

struct Picture {
  Size size;
  std::string title;
  std::string note;        ///< how to read it, if that is not plain; may be empty
  double font = 12;        ///< of the devices' names
  std::vector<Box> boxes;  ///< one a node of the graph, in its order
  std::vector<Frame> frames;
  std::vector<Line> lines;  ///< one a link of the graph, in its order
  std::vector<Label> labels;
  std::vector<Entry> devices;  ///< legend of the boxes' styles
  std::vector<Entry> wires;    ///< legend of the lines' styles
};

/// Width of a text in a common sans-serif font of that size, rather too large than too small.
double text_width(const std::string& text, double font, bool bold = false);

/// The picture as SVG 1.1.
std::string svg(const Picture& picture);

}  // namespace tsunagi::draw
