// SPDX-License-Identifier: Apache-2.0
#include "draw/compose.hpp"

#include <algorithm>
#include <iterator>

namespace tsunagi::draw {
namespace {

constexpr double margin = 24;
constexpr double least_width = 480;
constexpr double details_gap = 40;  // between the network and nodes in detail
constexpr Size slide{1280, 620};    // without title and legend

void move(Picture& picture, Point by) {
  const auto shift = [by](Rect& r) { r = {r.x + by.x, r.y + by.y, r.width, r.height}; };
  for (Box& box : picture.boxes) shift(box.at);
  for (Frame& frame : picture.frames) shift(frame.at);
  for (Label& label : picture.labels) shift(label.at);
  for (Line& line : picture.lines)
    for (Path& path : line.paths)
      for (Point& p : path) p = p + by;
}

template <class T>
void append(std::vector<T>& to, std::vector<T>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

/// How large a picture of that size is on a slide.
double zoom(Size s) { return std::min(slide.width / s.width, slide.height / s.height); }

/// Breaks a text into lines of at most that width.
std::vector<std::string> broken(const std::string& text, double font, double width) {
  std::vector<std::string> out{""};
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!out.back().empty() && text_width(out.back() + " " + word, font) > width) out.emplace_back();
    out.back() += (out.back().empty() ? "" : " ") + word;
    at = end + 1;
  }
  return out;
}

}  // namespace

Rect extent(const Picture& picture) {
  Rect all = picture.boxes.empty() ? Rect{} : picture.boxes[0].at;
  for (const Box& box : picture.boxes) all = united(all, box.at);
  for (const Frame& frame : picture.frames) all = united(all, frame.at);
  for (const Label& label : picture.labels) all = united(all, label.at);
  for (const Line& line : picture.lines)
    for (const Path& path : line.paths)
      for (const Point p : path) all = united(all, {p.x, p.y, 0, 0});
  return all;
}

bool is_tight(const Picture& picture) {
  const Rect all = extent(picture);
  return zoom({all.width, all.height}) < 0.85;
}

void add_details(Picture& network, std::vector<Picture> details) {
  if (details.empty()) return;
  const Rect all = extent(network);
  Size column;  // details below each other
  Size row;     // or side by side
  std::vector<Rect> extents;
  for (const Picture& d : details) {
    const Rect r = extent(d);
    extents.push_back(r);
    column = {std::max(column.width, r.width), column.height + (column.height > 0 ? details_gap : 0) + r.height};
    row = {row.width + (row.width > 0 ? details_gap : 0) + r.width, std::max(row.height, r.height)};
  }
  const Size right{all.width + details_gap + column.width, std::max(all.height, column.height)};
  const Size below{std::max(all.width, row.width), all.height + details_gap + row.height};
  const bool is_right = zoom(right) > zoom(below);
  Point at = is_right ? Point{all.right() + details_gap, all.centre().y - column.height / 2}
                      : Point{all.centre().x - row.width / 2, all.bottom() + details_gap};
  for (std::size_t i = 0; i < details.size(); ++i) {
    move(details[i], at - Point{extents[i].x, extents[i].y});
    (is_right ? at.y : at.x) += details_gap + (is_right ? extents[i].height : extents[i].width);
    append(network.boxes, details[i].boxes);
    append(network.frames, details[i].frames);
    append(network.lines, details[i].lines);
    append(network.labels, details[i].labels);
  }
}

void finish(Picture& picture) {
  const Rect all = extent(picture);
  std::vector<double> entries;  // widths in the legend, the scale's last
  for (const Entry& entry : picture.legend) entries.push_back(46 + text_width(entry.text, legend_font));
  if (picture.scale) entries.push_back(240 + text_width("0" + picture.scale->most + picture.scale->text, legend_font));
  double width = std::max({least_width, all.width, text_width(picture.title, title_font, true)});
  for (const double entry : entries) width = std::max(width, entry);
  const double top = margin + (picture.title.empty() ? 0 : title_font + margin);
  move(picture, Point{margin + (width - all.width) / 2 - all.x, top - all.y});
  double x = margin;
  double y = top + all.height + margin;
  const auto place = [&](double entry_width) {
    if (x > margin && x + entry_width > margin + width) {
      x = margin;
      y += legend_font + 9;
    }
    const Rect at{x, y, entry_width - 12, legend_font + 5};
    x += entry_width;
    return at;
  };
  for (std::size_t i = 0; i < picture.legend.size(); ++i) picture.legend[i].at = place(entries[i]);
  if (picture.scale) picture.scale->at = place(entries.back());
  y += legend_font + 5;
  std::vector<std::string> notes;
  for (const std::string& note : picture.notes)
    for (std::string& line : broken(note, legend_font, width)) notes.push_back(std::move(line));
  picture.notes = std::move(notes);
  y += static_cast<double>(picture.notes.size()) * (legend_font + 6);
  picture.size = {width + 2 * margin, y + margin - 4};
}

}  // namespace tsunagi::draw
