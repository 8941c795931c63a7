// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "box/text.hpp"

namespace tsunagi::box {
namespace {

constexpr int cell_width = 64;
constexpr int cell_height = 24;
constexpr int margin = 90;
constexpr int gap = 60;

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
    else if (static_cast<unsigned char>(c) >= 0x20 || c == '\n')
      out += c;
  }
  return out;
}

/// From pale to dark blue: 0 is the least of a table, 1 the most.
std::string colour(double share) {
  const auto mix = [&](int low, int high) { return static_cast<int>(std::lround(low + share * (high - low))); };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(0xe8, 0x08), mix(0xf1, 0x45), mix(0xfa, 0x94));
}

std::string text_at(double x, double y, const char* anchor, const std::string& fill, const std::string& text) {
  return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" fill=\"{}\">{}</text>\n", x, y, anchor, fill,
                     escaped(text));
}

std::string table(const Matrix& m, What what, int top) {
  const auto& places = m.plan.server.places;
  double least = 0;  // of a rate; latencies differ little
  double most = 0;
  for (std::size_t i = 0; i < m.values.size(); ++i) {
    if (m.plan.cells[i].what != what || !m.values[i].value) continue;
    if (!is_rate(what)) least = least == 0 ? *m.values[i].value : std::min(least, *m.values[i].value);
    most = std::max(most, *m.values[i].value);
  }
  std::string out = text_at(10, top + 14, "start", "#222", heading_of(what));
  const std::vector<std::size_t> shown_places = places_of(m.plan, what);
  const int count = static_cast<int>(shown_places.size());
  for (int at = 0; at < count; ++at) {
    const std::string& name = places[shown_places[static_cast<std::size_t>(at)]].name;
    out += text_at(margin + at * cell_width + cell_width / 2.0, top + 36, "middle", "#222", name);
    out += text_at(margin - 8, top + 42 + at * cell_height + 17, "end", "#222", name);
  }
  for (int row = 0; row < count; ++row)
    for (int column = 0; column < count; ++column) {
      const std::size_t from = shown_places[static_cast<std::size_t>(row)];
      const std::size_t to = shown_places[static_cast<std::size_t>(column)];
      const Cell* c = find(m.plan, from, to, what);
      if (c == nullptr) continue;
      const Value& v = m.values[static_cast<std::size_t>(c - m.plan.cells.data())];
      const double share = v.value && most > least ? (*v.value - least) / (most - least) : 0.5;
      const int x = margin + column * cell_width;
      const int y = top + 42 + row * cell_height;
      const std::string told =
          fmt::format("{} > {}: {}", places[from].name, places[to].name,
                      v.value ? shown(what, *v.value) + (v.limit.where.empty() ? "" : ", " + v.limit.where)
                              : "not simulated: " + v.why_not);
      out += fmt::format("<g><title>{}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n",
                         escaped(told), x + 1, y + 1, cell_width - 2, cell_height - 2,
                         v.value ? colour(share) : "#eeeeee");
      const std::string shown_text = v.value ? shown(what, *v.value) : "";
      out += text_at(x + cell_width / 2.0, y + 17, "middle", share > 0.5 ? "#ffffff" : "#222222",
                     shown_text.substr(0, shown_text.find(' ')));
      out += "</g>\n";
    }
  return out;
}

}  // namespace

std::string heat_map(const Matrix& m, const std::string& title) {
  const auto height_of = [&](What what) {
    const auto places = static_cast<int>(places_of(m.plan, what).size());
    return places == 0 ? 0 : 42 + places * cell_height + gap;
  };
  const int width = std::max(margin + static_cast<int>(m.plan.server.places.size()) * cell_width + 20, 500);
  int height = 40;
  for (const What what : all_whats) height += height_of(what);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n<title>{}</title>\n<rect width=\"{}\" height=\"{}\" "
      "fill=\"#ffffff\"/>\n",
      width, height, width, height, escaped(title), width, height);
  out += text_at(10, 22, "start", "#222", title);
  int top = 40;
  for (const What what : all_whats) {
    if (height_of(what) > 0) out += table(m, what, top);
    top += height_of(what);
  }
  return out + "</svg>\n";
}

}  // namespace tsunagi::box
