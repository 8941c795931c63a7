// SPDX-License-Identifier: Apache-2.0
#include "draw/heat_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "draw/labels.hpp"

namespace tsunagi::draw {
namespace {

constexpr std::size_t most_told = 5;

std::string percent(double part) { return fmt::format("{:.{}f} %", 100 * part, part < 0.0995 && part > 0 ? 1 : 0); }

std::string name_of(const topo::Graph& graph, std::size_t link) {
  const topo::Link& l = graph.links[link];
  return fmt::format("{}.{} - {}.{}", graph.nodes[l.a.node].name, l.a.port, graph.nodes[l.b.node].name, l.b.port);
}

/// The busiest wires of a machine, of equals its first.
std::vector<std::size_t> busiest(const std::vector<double>& parts) {
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return parts[a] > parts[b]; });
  order.resize(std::min(order.size(), most_told));
  order.erase(std::find_if(order.begin(), order.end(), [&](std::size_t l) { return parts[l] == 0; }), order.end());
  return order;
}

}  // namespace

double top_of_scale(double part) {
  double top = 1;
  for (double power = 1; power > 1e-9; power /= 10)
    for (const double step : {1.0, 0.8, 0.6, 0.5, 0.4, 0.3, 0.2, 0.15})
      if (part <= step * power * (1 + 1e-12)) top = step * power;
  return top;
}

void colour_by_use(Picture& picture, const std::vector<std::vector<std::size_t>>& links, const topo::Graph& graph,
                   const WireUses& uses) {
  const std::vector<std::size_t> named = busiest(uses.parts);
  const double top = top_of_scale(named.empty() ? 1 : uses.parts[named.front()]);
  std::vector<std::vector<std::string>> texts(picture.lines.size());
  std::vector<bool> written(uses.parts.size(), false);
  for (std::size_t l = 0; l < picture.lines.size(); ++l) {
    Line& line = picture.lines[l];
    std::size_t most = links[l].front();
    for (const std::size_t wire : links[l])
      if (uses.parts[wire] > uses.parts[most]) most = wire;
    line.pen = heat(uses.parts[most] / top);
    line.faint = false;
    line.tip += fmt::format("; {}{}", links[l].size() > 1 ? "at most " : "", percent(uses.parts[most]));
    if (std::find(named.begin(), named.end(), most) == named.end() || written[most]) continue;
    written[most] = true;
    texts[l] = {percent(uses.parts[most])};
  }
  put_labels(picture, texts, {});
  picture.legend.erase(
      std::remove_if(picture.legend.begin(), picture.legend.end(), [](const Entry& e) { return !e.fill; }),
      picture.legend.end());
  picture.scale = Scale{uses.of, percent(top), {}};
  const auto unbroken = [](std::string text) {  // where the note is broken into lines
    for (auto at = text.find(' '); at != std::string::npos; at = text.find(' ', at)) text.replace(at, 1, "\u00a0");
    return text;
  };
  std::string note = named.empty() ? "No wire carried anything." : "Busiest wires:";
  for (std::size_t i = 0; i < named.size(); ++i)
    note += (i == 0 ? " " : ", ") + unbroken(name_of(graph, named[i]) + " " + percent(uses.parts[named[i]]));
  picture.notes.push_back(note);
}

}  // namespace tsunagi::draw
