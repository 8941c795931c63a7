// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "draw/looks.hpp"
#include "draw/picture.hpp"

namespace tsunagi::draw {
namespace {

/// Colours after Okabe and Ito, told apart by the colour-blind; devices are tints with the full colour as border.
struct Colours {
  const char* fill;
  const char* stroke;
};
constexpr std::array<Colours, 8> device_colours{{{"#dcebf7", "#0072b2"},
                                                 {"#fdebc8", "#b87900"},
                                                 {"#d3efe6", "#00805d"},
                                                 {"#fbdfcd", "#c25500"},
                                                 {"#f4e1ec", "#a3517f"},
                                                 {"#e4f3fc", "#3a8fc1"},
                                                 {"#f8f5c9", "#8a8000"},
                                                 {"#ececec", "#555555"}}};

struct Pen {
  const char* stroke;
  double width;
  const char* dashes;
};
constexpr std::array<Pen, 6> pens{{{"#333333", 2, ""},
                                   {"#0072b2", 2.4, ""},
                                   {"#c25500", 2.4, "7 3"},
                                   {"#00805d", 2.4, "2 3"},
                                   {"#a3517f", 2.4, "9 3 2 3"},
                                   {"#b87900", 2.4, "12 4"}}};

template <class T, std::size_t n>
const T& pick(const std::array<T, n>& all, int style) {
  return all[static_cast<std::size_t>(style) % n];
}

/// Text that XML takes: markup escaped, control characters replaced.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
  return out;
}

/// Pixels to a tenth, without a negative zero.
std::string n(double v) {
  const std::string text = fmt::format("{:.1f}", v);
  if (text == "-0.0") return "0";
  return text.size() > 2 && text.substr(text.size() - 2) == ".0" ? text.substr(0, text.size() - 2) : text;
}

std::string tag_title(const std::string& tip) { return tip.empty() ? "" : "<title>" + escaped(tip) + "</title>"; }

std::string text(Point at, const std::string& words, double font, const char* attributes) {
  return fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\"{}>{}</text>", n(at.x), n(at.y), n(font), attributes,
                     escaped(words));
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

std::string pen_attributes(int style) {
  const Pen& pen = pick(pens, style);
  std::string out = fmt::format(" stroke=\"{}\" stroke-width=\"{}\"", pen.stroke, n(pen.width));
  if (*pen.dashes != '\0') out += fmt::format(" stroke-dasharray=\"{}\"", pen.dashes);
  return out;
}

std::string svg_of(const Line& line) {
  std::string d;
  for (const Path& path : line.paths) d += data(path, line.corner);
  return fmt::format("<path d=\"{}\"{}{}>{}</path>\n", d, pen_attributes(line.style),
                     line.faint ? " stroke-opacity=\"0.45\"" : "", tag_title(line.tip));
}

std::string rectangle(const Rect& r, double round, const std::string& attributes, const std::string& inside = "") {
  const std::string open = fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"{}", n(r.x), n(r.y),
                                       n(r.width), n(r.height), n(round), attributes);
  return inside.empty() ? open + "/>" : open + ">" + inside + "</rect>";
}

std::string device_attributes(int style) {
  const Colours& c = pick(device_colours, style);
  return fmt::format(" fill=\"{}\" stroke=\"{}\"", c.fill, c.stroke);
}

std::string svg_of(const Box& box, double font) {
  std::string out =
      rectangle(box.at, std::min(5.0, box.at.height / 4), device_attributes(box.style), tag_title(box.tip));
  const Point middle = box.at.centre();
  const double up = box.lines.size() > 1 ? (font + 2) / 2 : 0;
  for (std::size_t i = 0; i < box.lines.size(); ++i) {
    const double size = i == 0 ? font : font - 2;
    const double y = middle.y - up + static_cast<double>(i) * (font + 3) + 0.36 * size;
    out += text({middle.x, y}, box.lines[i], size,
                i == 0 ? " font-weight=\"bold\" text-anchor=\"middle\"" : " fill=\"#444444\" text-anchor=\"middle\"");
  }
  return out + "\n";
}

std::string svg_of(const Frame& frame) { return rectangle(frame.at, 8, " fill=\"#f6f6f6\" stroke=\"#999999\"") + "\n"; }

std::string title_of(const Frame& frame, double font) {
  const Rect behind{frame.at.x + 6, frame.at.y + 4, text_width(frame.title, font, true), font + 5};
  return rectangle(behind, 3, " fill=\"#f6f6f6\" stroke=\"none\"") +
         text({frame.at.x + 10, frame.at.y + 17}, frame.title, font, " font-weight=\"bold\" fill=\"#333333\"") + "\n";
}

std::string svg_of(const Label& label) {
  std::string out =
      rectangle(label.at, 3, label.framed ? " fill=\"#f6f6f6\" stroke=\"none\"" : " fill=\"#ffffff\" stroke=\"none\"");
  for (std::size_t i = 0; i < label.lines.size(); ++i)
    out += text({label.at.centre().x, label.at.y + static_cast<double>(i + 1) * (label_font + 2) - 1}, label.lines[i],
                label_font, " fill=\"#222222\" text-anchor=\"middle\"");
  return out + "\n";
}

std::string legend(const Picture& picture) {
  std::string out;
  const auto words = [&](const Entry& e) {
    return text({e.at.x + 26, e.at.y + 12}, e.text, label_font, " fill=\"#222222\"") + "\n";
  };
  for (const Entry& e : picture.devices)
    out += rectangle({e.at.x, e.at.y + 2, 20, 12}, 3, device_attributes(e.style)) + words(e);
  for (const Entry& e : picture.wires)
    out += fmt::format("<path d=\"M{} {}h20\"{}/>", n(e.at.x), n(e.at.y + 8), pen_attributes(e.style)) + words(e);
  return out;
}

}  // namespace

double text_width(const std::string& text, double font, bool bold) {
  // Code points times the mean width of DejaVu Sans, the widest of the common fonts.
  const auto letters = std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
  return static_cast<double>(letters) * font * (bold ? 0.69 : 0.62);
}

std::string svg(const Picture& picture) {
  const std::string width = n(picture.size.width);
  const std::string height = n(picture.size.height);
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n",
      width, height);
  if (!picture.title.empty()) out += tag_title(picture.title) + "\n";
  out += fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n", width, height);
  if (!picture.title.empty())
    out += text({picture.size.width / 2, 38}, picture.title, 17, " font-weight=\"bold\" text-anchor=\"middle\"") + "\n";
  for (const Frame& frame : picture.frames) out += svg_of(frame);
  out += "<g fill=\"none\">\n";
  for (const Line& line : picture.lines) out += svg_of(line);
  out += "</g>\n";
  for (const Frame& frame : picture.frames) out += title_of(frame, picture.font);
  for (const Box& box : picture.boxes) out += svg_of(box, picture.font);
  for (const Label& label : picture.labels) out += svg_of(label);
  out += legend(picture);
  if (!picture.note.empty())
    out += text({24, picture.size.height - 26}, picture.note, label_font, " fill=\"#444444\" font-style=\"italic\"") +
           "\n";
  return out + "</svg>\n";
}

}  // namespace tsunagi::draw
