// SPDX-License-Identifier: Apache-2.0
#include "draw/looks.hpp"

#include <fmt/format.h>

#include <array>
#include <map>

#include "config/writer.hpp"
#include "units/parse.hpp"

namespace tsunagi::draw {
namespace {

struct OneWire {
  config::AnyConfig wire;
};
void describe(OneWire& c, config::Describer& d) { d.any("wire", c.wire, "wire", "a wire"); }

constexpr std::size_t most_full = 64;
constexpr std::size_t most_named = 640;

Detail detail_for(std::size_t nodes) {
  if (nodes <= most_full) return Detail::full;
  return nodes <= most_named ? Detail::names : Detail::dots;
}

std::string spaced(std::string kind) {
  std::replace(kind.begin(), kind.end(), '_', ' ');
  return kind;
}

/// "Gen2" for the transfer rate of a PCIe lane, else the rate itself.
std::string generation(const std::string& rate) {
  constexpr std::array<std::int64_t, 6> mega_transfers{2500, 5000, 8000, 16000, 32000, 64000};
  const auto it = std::find(mega_transfers.begin(), mega_transfers.end(), parse_frequency(rate).hz() / 1'000'000);
  return it == mega_transfers.end() ? rate : fmt::format("Gen{}", it - mega_transfers.begin() + 1);
}

/// "t12" of "terminal12": the first letter and the number; else the name, shortened. What stands before a dot stays.
std::string abbreviated(const std::string& name) {
  if (const auto dot = name.rfind('.'); dot != std::string::npos)
    return name.substr(0, dot + 1) + abbreviated(name.substr(dot + 1));
  const auto digits = name.find_last_not_of("0123456789") + 1;
  if (digits > 0 && digits < name.size() && digits > 1) return name.substr(0, 1) + name.substr(digits);
  return name.substr(0, 6);
}

/// Number of `value` in `all`, where it is put if it is new.
template <class T>
int index_in(std::vector<T>& all, const T& value) {
  const auto it = std::find(all.begin(), all.end(), value);
  const auto index = it - all.begin();
  if (it == all.end()) all.push_back(value);
  return static_cast<int>(index);
}

/// What a picture calls a device. A node's name stands on its frame; of several networks a router's name says whose it
/// is.
std::string shown_name(const topo::Node& node) { return is_router(node) ? node.name : short_name(node.name); }

std::string joined(const std::vector<std::string>& lines) { return fmt::format("{}", fmt::join(lines, " ")); }

}  // namespace

std::string group_of(const std::string& name) { return name.substr(0, name.find('.')); }

std::string short_name(const std::string& name) {
  const auto dot = name.find('.');
  return dot == std::string::npos ? name : name.substr(dot + 1);
}

bool is_router(const topo::Node& node) {
  const topo::Place* place = topo::place_as(topo::Place::Role::router, node.places);
  return place != nullptr && !place->network->router(place->number).config.empty();
}

std::vector<std::string> wire_lines(const config::AnyConfig& wire) {
  std::vector<std::string> lines{wire.kind() == "pcie" ? "PCIe" : spaced(wire.kind())};
  if (wire.empty()) return lines;
  OneWire one{wire};
  const nlohmann::ordered_json fields = config::resolved(one)["wire"];
  const auto text = [&](const char* name) {
    const auto it = fields.find(name);
    return it != fields.end() && it->is_string() ? it->get<std::string>() : std::string();
  };
  std::string rate = text("rate");
  if (wire.kind() == "pcie" && !rate.empty()) rate = generation(rate);
  if (rate.empty()) rate = text("bandwidth");
  if (const auto lanes = fields.find("lanes"); lanes != fields.end() && lanes->is_number_integer())
    rate += fmt::format("{}x{}", rate.empty() ? "" : " ", lanes->get<int>());
  if (!rate.empty()) lines.push_back(rate);
  return lines;
}

Looks::Looks(const topo::Graph& graph) : graph_(graph), detail_(detail_for(graph.nodes.size())) {
  for (const topo::Node& node : graph.nodes) index_in(kinds_, node.config.kind());
  std::map<const config::ConfigObject*, int> seen;  // links of a network share one config
  for (const topo::Link& link : graph.links) {
    const auto [it, is_new] = seen.emplace(link.wire.object(), 0);
    if (is_new) it->second = index_in(wires_, wire_lines(link.wire));
    styles_.push_back(it->second);
  }
}

double Looks::font() const { return detail_ == Detail::full ? 12 : 9; }

Box Looks::box(const topo::Node& node) const {
  Box out;
  const auto kind = std::find(kinds_.begin(), kinds_.end(), node.config.kind());
  out.style = static_cast<int>(kind - kinds_.begin());
  out.tip = fmt::format("{} ({})", node.name, node.config.kind());
  if (detail_ == Detail::dots) {
    out.at = {0, 0, 12, 12};
  } else if (detail_ == Detail::names) {
    out.lines = {abbreviated(shown_name(node))};
    out.at = {0, 0, std::max(32.0, text_width(out.lines[0], font(), true) + 8), 17};
  } else {
    out.lines = {shown_name(node)};
    const std::string what = spaced(node.config.kind());
    const std::string own = short_name(node.name);
    const std::string bare = own.substr(0, own.find_last_not_of("0123456789") + 1);
    if (bare != node.config.kind() && own != node.config.kind()) out.lines.push_back(what);
    double width = text_width(out.lines[0], font(), true);
    if (out.lines.size() > 1) width = std::max(width, text_width(what, font() - 2));
    out.at = {0, 0, 16 * std::ceil((std::max(50.0, width) + 14) / 16), 38};
  }
  return out;
}

Picture Looks::empty_picture() const {
  Picture out;
  out.font = font();
  for (const topo::Node& node : graph_.nodes) out.boxes.push_back(box(node));
  for (std::size_t i = 0; i < graph_.links.size(); ++i) {
    const topo::Link& link = graph_.links[i];
    Line line;
    line.style = styles_[i];
    line.tip = fmt::format("{}.{} - {}.{}: {}", graph_.nodes[link.a.node].name, link.a.port,
                           graph_.nodes[link.b.node].name, link.b.port, joined(lines_of_wire(i)));
    out.lines.push_back(std::move(line));
  }
  for (std::size_t k = 0; k < kinds_.size(); ++k) out.devices.push_back({spaced(kinds_[k]), static_cast<int>(k), {}});
  for (std::size_t w = 0; w < wires_.size(); ++w) out.wires.push_back({joined(wires_[w]), static_cast<int>(w), {}});
  return out;
}

Size label_size(const std::vector<std::string>& lines) {
  double width = 0;
  for (const std::string& line : lines) width = std::max(width, text_width(line, label_font));
  return {width + 6, static_cast<double>(lines.size()) * (label_font + 2) + 3};
}

Size Looks::label_room() const {
  if (detail_ == Detail::dots) return {10, 10};
  if (detail_ == Detail::names) return {24, 24};
  Size room{30, 24};
  for (const auto& lines : wires_) {
    const Size s = label_size(lines);
    room = {std::max(room.width, s.width + 22), std::max(room.height, s.height + 26)};
  }
  return room;
}

}  // namespace tsunagi::draw
