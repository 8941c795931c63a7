// SPDX-License-Identifier: Apache-2.0
#include "draw/looks.hpp"

#include <fmt/format.h>

#include <array>
#include <map>

#include "config/fields/writer.hpp"
#include "units/parse.hpp"

namespace tsunagi::draw {
namespace {

struct OneWire {
  config::AnyConfig wire;
};
void describe(OneWire& c, config::Describer& d) { d.any("wire", c.wire, "wire", "a wire"); }

constexpr std::size_t most_full = 40;
constexpr std::size_t most_named = 640;

/// "Gen2" for the transfer rate of a PCIe lane, else the rate itself.
std::string generation(const std::string& rate) {
  constexpr std::array<std::int64_t, 6> mega_transfers{2500, 5000, 8000, 16000, 32000, 64000};
  const auto it = std::find(mega_transfers.begin(), mega_transfers.end(), parse_frequency(rate).hz() / 1'000'000);
  return it == mega_transfers.end() ? rate : fmt::format("Gen{}", it - mega_transfers.begin() + 1);
}

/// "t12" of "terminal12": the first letter and the number; else the name, shortened. What stands before a dot or a
/// space stays.
std::string abbreviated(const std::string& name) {
  if (const auto dot = name.find_last_of(". "); dot != std::string::npos)
    return name.substr(0, dot + 1) + abbreviated(name.substr(dot + 1));
  const auto digits = name.find_last_not_of("0123456789") + 1;
  if (digits > 0 && digits < name.size() && digits > 1) return name.substr(0, 1) + name.substr(digits);
  std::size_t end = std::min<std::size_t>(6, name.size());
  while (end < name.size() && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) ++end;  // not within a letter
  return name.substr(0, end);
}

/// "t0–t15" of "terminal0–terminal15".
std::string shorter(const std::string& range) {
  const std::string dash = "–";
  const auto at = range.find(dash);
  if (const auto more = range.find(" …"); more != std::string::npos)
    return abbreviated(range.substr(0, more)) + range.substr(more);
  if (at == std::string::npos) return abbreviated(range);
  return abbreviated(range.substr(0, at)) + dash + abbreviated(range.substr(at + dash.size()));
}

/// What a picture calls a device. A node's name stands on its frame; of several networks a router's name says whose it
/// is.
std::string shown_name(const topo::Node& node) { return is_router(node) ? node.name : short_name(node.name); }

nlohmann::ordered_json fields_of(const config::AnyConfig& wire) {
  OneWire one{wire};
  return config::resolved(one)["wire"];
}

std::string text_in(const nlohmann::ordered_json& fields, const char* name) {
  const auto it = fields.find(name);
  return it != fields.end() && it->is_string() ? it->get<std::string>() : std::string();
}

std::string upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; });
  return text;
}

/// "InfiniBand" of "infiniband": as the standards write it.
std::string wire_name(const std::string& kind) {
  constexpr std::array<std::pair<const char*, const char*>, 5> names{{{"pcie", "PCIe"},
                                                                      {"pcix", "PCI-X"},
                                                                      {"infiniband", "InfiniBand"},
                                                                      {"ethernet", "Ethernet"},
                                                                      {"myrinet", "Myrinet"}}};
  const auto it = std::find_if(names.begin(), names.end(), [&](const auto& n) { return kind == n.first; });
  return it == names.end() ? spaced(kind) : it->second;
}

/// "QDR" of InfiniBand's "qdr", the bit rate of Ethernet's "gigabit".
std::string speed_name(const std::string& speed) {
  constexpr std::array<std::pair<const char*, const char*>, 3> ethernet{
      {{"fast", "100 Mb/s"}, {"gigabit", "1 Gb/s"}, {"ten_gigabit", "10 Gb/s"}}};
  const auto it = std::find_if(ethernet.begin(), ethernet.end(), [&](const auto& s) { return speed == s.first; });
  return it == ethernet.end() ? upper_case(speed) : it->second;
}

std::string joined(const std::vector<std::string>& lines) { return fmt::format("{}", fmt::join(lines, " ")); }

}  // namespace

std::string spaced(std::string kind) {
  std::replace(kind.begin(), kind.end(), '_', ' ');
  return kind;
}

Detail detail_for(std::size_t nodes) {
  if (nodes <= most_full) return Detail::full;
  return nodes <= most_named ? Detail::names : Detail::dots;
}

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
  std::vector<std::string> lines{wire_name(wire.kind())};
  if (wire.empty()) return lines;
  const nlohmann::ordered_json fields = fields_of(wire);
  std::string rate = text_in(fields, "rate");
  if (wire.kind() == "pcie" && !rate.empty()) rate = generation(rate);
  if (rate.empty()) rate = text_in(fields, "bandwidth");
  if (rate.empty()) rate = speed_name(text_in(fields, "speed"));
  for (const char* lanes : {"lanes", "width"})
    if (const auto it = fields.find(lanes); it != fields.end() && it->is_number_integer())
      rate += fmt::format("{}x{}", rate.empty() ? "" : " ", it->get<int>());
  if (!rate.empty()) lines.push_back(rate);
  return lines;
}

std::vector<std::string> wire_lines(const topo::Link& link) {
  std::vector<std::string> lines = wire_lines(link.wire);
  if (!link.rate) return lines;
  lines.resize(2);
  lines[1] = to_string(*link.rate);
  return lines;
}

std::string flight_of(const config::AnyConfig& wire) { return wire.empty() ? "" : text_in(fields_of(wire), "flight"); }

std::string short_port(const topo::End& end) { return end.port.substr(end.port.rfind('.') + 1); }

std::string ranks_text(const std::vector<std::size_t>& ranks) {
  constexpr std::size_t most = 4;
  if (ranks.empty()) return "";
  if (ranks.size() == 1) return fmt::format("rank {}", ranks[0]);
  if (ranks.size() > 2 && ranks.back() - ranks.front() + 1 == ranks.size())
    return fmt::format("ranks {}–{}", ranks.front(), ranks.back());
  const bool all = ranks.size() <= most;
  return fmt::format("ranks {}{}", fmt::join(ranks.begin(), all ? ranks.end() : ranks.begin() + most, ", "),
                     all ? "" : ", …");
}

Palette::Palette(const topo::Graph& graph) {
  for (const topo::Node& node : graph.nodes) kinds_.push_back(node.config.kind());
  std::sort(kinds_.begin(), kinds_.end(),
            [](const auto& a, const auto& b) { return rank_of(a) != rank_of(b) ? rank_of(a) < rank_of(b) : a < b; });
  kinds_.erase(std::unique(kinds_.begin(), kinds_.end()), kinds_.end());
  for (const topo::Link& link : graph.links) {
    const auto [it, is_new] = numbers_.emplace(key_of(link), 0);
    if (is_new) {
      const std::string text = joined(wire_lines(link));
      const auto same = std::find_if(wires_.begin(), wires_.end(), [&](const Wire& w) { return w.text == text; });
      it->second = static_cast<std::size_t>(same - wires_.begin());
      if (same == wires_.end()) wires_.push_back({link.wire.kind(), text});
    }
    const std::string& a = graph.nodes[link.a.node].name;
    const std::string& b = graph.nodes[link.b.node].name;
    (group_of(a) == group_of(b) ? wires_[it->second].inside : wires_[it->second].between) += 1;
  }
  // Cables between nodes come first, then what is common, whatever the order in which the machine names them.
  for (std::size_t w = 0; w < wires_.size(); ++w) order_.push_back(w);
  std::sort(order_.begin(), order_.end(), [&](std::size_t i, std::size_t k) {
    const Wire &a = wires_[i], &b = wires_[k];
    if ((a.between > 0) != (b.between > 0)) return a.between > 0;
    return a.between + a.inside != b.between + b.inside ? a.between + a.inside > b.between + b.inside : a.text < b.text;
  });
  std::map<std::string, std::size_t> variants;  // by kind
  for (const std::size_t w : order_) wires_[w].pen = draw::pen_of(wires_[w].kind, variants[wires_[w].kind]++);
}

std::vector<Entry> Palette::legend() const {
  std::vector<Entry> out;
  for (const std::string& kind : kinds_) out.push_back({spaced(kind), fill_of(kind)});
  for (const std::size_t w : order_) out.push_back({wires_[w].text, {}, wires_[w].pen});
  return out;
}

Looks::Looks(const topo::Graph& graph, const Palette& palette, Detail detail, std::vector<Remark> remarks)
    : graph_(graph), palette_(palette), detail_(detail), remarks_(std::move(remarks)) {
  remarks_.resize(graph.nodes.size());
}

Box Looks::box(std::size_t number) const {
  const topo::Node& node = graph_.nodes[number];
  const Remark& remark = remarks_[number];
  const std::string kind = spaced(node.config.kind());
  Box out;
  out.fill = fill_of(node.config.kind());
  out.many = remark.count > 1;
  out.tip = out.many ? fmt::format("{} ({} of {})", node.name, remark.count, node.config.kind())
                     : fmt::format("{} ({})", node.name, node.config.kind());
  if (!remark.ranks.empty()) out.tip += ": " + remark.ranks;
  if (detail_ == Detail::dots) {
    out.at = {0, 0, 12, 12};
    return out;
  }
  const bool full = detail_ == Detail::full;
  out.font = full ? 13 : 11;
  out.lines = {full ? shown_name(node) : abbreviated(shown_name(node))};
  if (const auto at = node.name.find_last_of(". ");
      !full && !out.many && at != std::string::npos && (is_router(node) || node.name[at] == ' '))
    out.lines = {abbreviated(node.name.substr(at + 1)), node.name.substr(0, at)};
  if (out.many) {
    out.lines = {full ? node.name : shorter(node.name),
                 fmt::format("{} {}{}", remark.count, kind, kind.back() == 'h' ? "es" : "s")};
  } else if (full) {
    const std::string own = short_name(node.name);
    const std::string bare = own.substr(0, own.find_last_not_of("0123456789") + 1);
    if (bare != node.config.kind() && own != node.config.kind()) out.lines.push_back(kind);
  }
  if (!remark.ranks.empty()) out.lines.push_back(remark.ranks);
  double width = full ? 44 : 24;
  for (std::size_t i = 0; i < out.lines.size(); ++i)
    width = std::max(width, text_width(out.lines[i], i == 0 ? out.font : out.font - 2, i == 0));
  const double more = static_cast<double>(out.lines.size() - 1) * (out.font + 2);
  out.at = {0, 0, 8 * std::ceil((width + (full ? 14 : 8)) / 8), full ? std::max(38.0, 24 + more) : 20 + more};
  return out;
}

Picture Looks::empty_picture() const {
  Picture out;
  for (std::size_t n = 0; n < graph_.nodes.size(); ++n) out.boxes.push_back(box(n));
  for (const topo::Link& link : graph_.links) {
    Line line;
    line.pen = palette_.pen_of(link);
    line.tip = fmt::format("{}.{} - {}.{}: {}", graph_.nodes[link.a.node].name, link.a.port,
                           graph_.nodes[link.b.node].name, link.b.port, palette_.text_of(link));
    out.lines.push_back(std::move(line));
  }
  return out;
}

Size label_size(const std::vector<std::string>& lines) {
  double width = 0;
  for (const std::string& line : lines) width = std::max(width, text_width(line, label_font));
  return {width + 6, static_cast<double>(lines.size()) * (label_font + 2) + 3};
}

Size Looks::room(Size label) const {
  if (detail_ == Detail::dots) return {10, 10};
  const Size least = detail_ == Detail::full ? Size{36, 28} : Size{18, 18};
  return {std::max(least.width, label.width + 22), std::max(least.height, label.height + 26)};
}

}  // namespace tsunagi::draw
