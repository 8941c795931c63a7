// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "config/text/printable.hpp"
#include "draw/looks.hpp"
#include "draw/picture.hpp"

namespace tsunagi::draw {
namespace {

/// Pixels to a tenth, without a negative zero.
std::string n(double v) {
  const std::string text = fmt::format("{:.1f}", v);
  if (text == "-0.0") return "0";
  return text.size() > 2 && text.substr(text.size() - 2) == ".0" ? text.substr(0, text.size() - 2) : text;
}

std::string tag_title(const std::string& tip) {
  return tip.empty() ? "" : "<title>" + config::xml_text(tip) + "</title>";
}

std::string text(Point at, const std::string& words, double font, const char* attributes) {
  return fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\"{}>{}</text>", n(at.x), n(at.y), n(font), attributes,
                     config::xml_text(words));
}

/// SVG path data; corners are rounded.
std::string data(const Path& path, double corner) {
  std::string out = fmt::format("M{} {}", n(path[0].x), n(path[0].y));
  for (std::size_t i = 1; i < path.size(); ++i) {
    if (i + 1 == path.size() || corner == 0) {
      out += fmt::format("L{} {}", n(path[i].x), n(path[i].y));
      continue;
    }
    const auto near = [&](Point other) {
      const double far = length(other - path[i]);
      return between(path[i], other, far > 0 ? std::min(0.5, corner / far) : 0);
    };
    const Point in = near(path[i - 1]);
    const Point out_of = near(path[i + 1]);
    out += fmt::format("L{} {}Q{} {} {} {}", n(in.x), n(in.y), n(path[i].x), n(path[i].y), n(out_of.x), n(out_of.y));
  }
  return out;
}

std::string attributes_of(const Pen& pen) {
  std::string out = fmt::format(" stroke=\"{}\" stroke-width=\"{}\"", pen.colour, n(pen.width));
  if (!pen.dashes.empty()) out += fmt::format(" stroke-dasharray=\"{}\"", pen.dashes);
  return out;
}

std::string attributes_of(const Fill& fill) {
  return fmt::format(" fill=\"{}\" stroke=\"{}\"", fill.tint, fill.border);
}

std::string svg_of(const Line& line) {
  std::string d;
  for (const Path& path : line.paths) d += data(path, line.corner);
  return fmt::format("<path d=\"{}\"{}{}>{}</path>\n", d, attributes_of(line.pen),
                     line.faint ? " stroke-opacity=\"0.45\"" : "", tag_title(line.tip));
}

std::string rectangle(const Rect& r, double round, const std::string& attributes, const std::string& inside = "") {
  const std::string open = fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"{}", n(r.x), n(r.y),
                                       n(r.width), n(r.height), n(round), attributes);
  return inside.empty() ? open + "/>" : open + ">" + inside + "</rect>";
}

std::string svg_of(const Box& box) {
  const double round = std::min(5.0, box.at.height / 4);
  std::string out;
  for (const double behind : {6.0, 3.0})
    if (box.many)
      out += rectangle({box.at.x + behind, box.at.y - behind, box.at.width, box.at.height}, round,
                       attributes_of(box.fill));
  out += rectangle(box.at, round, attributes_of(box.fill), tag_title(box.tip));
  const Point middle = box.at.centre();
  const double step = box.font + 2;
  const double first = middle.y - (static_cast<double>(box.lines.size()) - 1) * step / 2;
  for (std::size_t i = 0; i < box.lines.size(); ++i) {
    const double size = i == 0 ? box.font : box.font - 2;
    out += text({middle.x, first + static_cast<double>(i) * step + 0.36 * size}, box.lines[i], size,
                i == 0 ? " font-weight=\"bold\" text-anchor=\"middle\"" : " fill=\"#333333\" text-anchor=\"middle\"");
  }
  return out + "\n";
}

std::string svg_of(const Frame& frame) { return rectangle(frame.at, 8, " fill=\"#f6f6f6\" stroke=\"#999999\"") + "\n"; }

std::string title_of(const Frame& frame) {
  const double font = frame.font;
  const Rect behind{frame.at.x + 6, frame.at.y + 4, text_width(frame.title, font, true), font + 5};
  return rectangle(behind, 3, " fill=\"#f6f6f6\" stroke=\"none\"") +
         text({frame.at.x + 10, frame.at.y + 18}, frame.title, font, " font-weight=\"bold\" fill=\"#333333\"") + "\n";
}

std::string svg_of(const Label& label) {
  std::string out =
      rectangle(label.at, 3, label.framed ? " fill=\"#f6f6f6\" stroke=\"none\"" : " fill=\"#ffffff\" stroke=\"none\"");
  for (std::size_t i = 0; i < label.lines.size(); ++i)
    out += text({label.at.centre().x, label.at.y + static_cast<double>(i + 1) * (label_font + 2) - 1}, label.lines[i],
                label_font, " fill=\"#222222\" text-anchor=\"middle\"");
  return out + "\n";
}

std::string svg_of(const Entry& e) {
  const std::string sample =
      e.fill ? rectangle({e.at.x, e.at.y + 2, 24, 14}, 3, attributes_of(*e.fill))
             : fmt::format("<path d=\"M{} {}h24\"{}/>", n(e.at.x), n(e.at.y + 9), attributes_of(e.pen));
  return sample + text({e.at.x + 30, e.at.y + 14}, e.text, legend_font, " fill=\"#222222\"") + "\n";
}

std::string svg_of(const Scale& scale) {
  constexpr int steps = 20;
  constexpr double width = 160;
  std::string out = text({scale.at.x, scale.at.y + 14}, "0", legend_font, " fill=\"#222222\"");
  const double left = scale.at.x + 16;
  for (int i = 0; i < steps; ++i)
    out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"14\" fill=\"{}\"/>", n(left + width * i / steps),
                       n(scale.at.y + 2), n(width / steps + 0.3), heat((i + 0.5) / steps).colour);
  return out +
         text({left + width + 8, scale.at.y + 14}, scale.most + " " + scale.text, legend_font, " fill=\"#222222\"") +
         "\n";
}

/// `drawn`, as a part that programs find by what it stands for.
std::string marked(Marks marks, const char* part, const std::vector<std::size_t>& stands_for, std::string drawn) {
  if (marks == Marks::none) return drawn;
  if (!drawn.empty() && drawn.back() == '\n') drawn.pop_back();
  return fmt::format("<g class=\"{0}\" data-{0}s=\"{1}\">{2}</g>\n", part, fmt::join(stands_for, " "), drawn);
}

}  // namespace

double text_width(const std::string& text, double font, bool bold) {
  // Code points times the mean width of DejaVu Sans, the widest of the common fonts.
  const auto letters = std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
  return static_cast<double>(letters) * font * (bold ? 0.69 : 0.62);
}

std::string svg(const Picture& picture, Marks marks) {
  const std::string width = n(picture.size.width);
  const std::string height = n(picture.size.height);
  std::string out = marks == Marks::none ? "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" : "";
  out += fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n",
      width, height);
  if (!picture.title.empty()) out += tag_title(picture.title) + "\n";
  out += fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n", width, height);
  if (!picture.title.empty())
    out +=
        text({picture.size.width / 2, 38}, picture.title, title_font, " font-weight=\"bold\" text-anchor=\"middle\"") +
        "\n";
  for (const Frame& frame : picture.frames) out += svg_of(frame);
  out += "<g fill=\"none\">\n";
  for (std::size_t i = 0; i < picture.lines.size(); ++i)
    out += marked(marks, "wire", picture.wires[i], svg_of(picture.lines[i]));
  out += "</g>\n";
  for (const Frame& frame : picture.frames) out += title_of(frame);
  for (std::size_t i = 0; i < picture.boxes.size(); ++i)
    out += marked(marks, "device", picture.devices[i], svg_of(picture.boxes[i]));
  for (const Label& label : picture.labels) out += svg_of(label);
  for (const Entry& entry : picture.legend) out += svg_of(entry);
  if (picture.scale) out += svg_of(*picture.scale);
  double y = picture.size.height - 22 - static_cast<double>(picture.notes.size()) * (legend_font + 6);
  for (const std::string& note : picture.notes)
    out += text({24, y += legend_font + 6}, note, legend_font, " fill=\"#333333\"") + "\n";
  return out + "</svg>\n";
}

}  // namespace tsunagi::draw
