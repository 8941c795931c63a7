// SPDX-License-Identifier: Apache-2.0
#include "explain/waterfall.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "explain/text.hpp"
#include "report/formats/table_layout.hpp"
#include "units/parse.hpp"
#include "units/wide.hpp"

namespace tsunagi::explain {
namespace {

constexpr std::size_t screen_columns = 100;
constexpr std::size_t screen_lines = 45;
constexpr std::size_t number_columns = 30;  // start, duration and share, with a blank before each

/// Equal stages of one visit to a device.
struct Line {
  std::string name;
  Time begin;
  Time took;
  std::vector<std::pair<Time, Time>> pieces;
};

/// Segments that follow each other at one device.
struct Visit {
  std::string device;
  Time begin;
  Time took;
  std::vector<Line> lines;
};

void add(std::vector<Line>& lines, const std::string& name, const Segment& s) {
  auto line = std::find_if(lines.begin(), lines.end(), [&](const Line& l) { return l.name == name; });
  if (line == lines.end()) line = lines.insert(lines.end(), {name, s.begin, {}, {}});
  line->took += s.end - s.begin;
  line->pieces.emplace_back(s.begin, s.end);
}

std::vector<Visit> visits_of(const Path& path) {
  std::vector<Visit> visits;
  for (const Segment& s : path.segments) {
    if (visits.empty() || visits.back().device != s.device) visits.push_back({s.device, s.begin, {}, {}});
    visits.back().took += s.end - s.begin;
    add(visits.back().lines, s.what, s);
  }
  return visits;
}

bool shown(const Line& line, const Path& path, std::int64_t share) {
  return static_cast<Wide>(line.took.fs()) * 1000 >= static_cast<Wide>((path.end - path.begin).fs()) * share;
}

/// Where and how a table prints.
struct Layout {
  Path const& path;
  std::size_t names = 0;
  Scale scale{path.end - path.begin};
  Time length() const { return path.end - path.begin; }
  std::size_t bar_columns() const { return screen_columns - names - number_columns - 1; }

  void fit(const std::string& name, std::size_t most) { names = std::max(names, std::min(report::width(name), most)); }

  std::string line(const std::string& name, const std::string& start, Time took, const std::string& bar) const {
    std::string text = fmt::format("{:<{}} {:>10} {:>10} {:>7} {}", shortened(name, names), names, start, scale(took),
                                   percent(took, length()), bar);
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  }

  std::string bar(const Line& line) const {
    const auto columns = static_cast<std::int64_t>(bar_columns());
    const double column = static_cast<double>(length().fs()) / static_cast<double>(columns);
    std::string text(bar_columns(), ' ');
    for (const auto& [begin, end] : line.pieces) {
      const auto first = static_cast<std::int64_t>(static_cast<double>((begin - path.begin).fs()) / column);
      const auto last = static_cast<std::int64_t>(static_cast<double>((end - path.begin).fs()) / column + 0.999);
      for (std::int64_t i = std::min(first, columns - 1); i < std::min(std::max(last, first + 1), columns); ++i)
        text[static_cast<std::size_t>(i)] = '#';
    }
    return text;
  }
};

/// Stages of a smaller share, in thousandths, have no line of their own. None: too many lines however large it is.
std::optional<std::int64_t> smallest_share(const Path& path, const std::vector<Visit>& visits) {
  for (const std::int64_t share : {0, 5, 10, 20}) {
    std::size_t lines = visits.size();
    for (const Visit& v : visits)
      for (const Line& l : v.lines)
        if (shown(l, path, share)) ++lines;
    if (lines <= screen_lines) return share;
  }
  return std::nullopt;
}

std::string in_time_order(const Path& path, const std::vector<Visit>& visits, std::int64_t share) {
  Layout layout{path};
  constexpr std::size_t most = 36;
  for (const Visit& v : visits) {
    layout.fit(v.device, most);
    for (const Line& l : v.lines) {
      layout.fit("  " + l.name, most);
      layout.scale.fit(l.took);
      layout.scale.fit(l.begin - path.begin);
    }
  }
  std::string out =
      fmt::format("{:<{}} {:>10} {:>10} {:>7}\n", "", layout.names, "start", layout.scale.unit(), "share");
  for (const Visit& v : visits) {
    std::string stages;
    for (const Line& l : v.lines)
      if (shown(l, path, share))
        stages += layout.line("  " + l.name, layout.scale(l.begin - path.begin), l.took, layout.bar(l));
    const Line whole{v.device, v.begin, v.took, {{v.begin, v.begin + v.took}}};
    out += stages.empty() ? layout.line(v.device, layout.scale(v.begin - path.begin), v.took, layout.bar(whole))
                          : layout.line(v.device, "", v.took, "") + stages;
  }
  if (share > 0)
    out +=
        fmt::format("Stages of less than {:.1f} % are in their device's sum only.\n", static_cast<double>(share) / 10);
  return out;
}

struct Sum {
  std::string name;
  Time took;
  std::size_t count = 0;
};

std::vector<Sum> sums_of(const Path& path) {
  std::map<std::pair<std::string, std::string>, Sum> by_name;
  for (const Segment& s : path.segments) {
    Sum& sum = by_name[{s.device, s.what}];
    sum.took += s.end - s.begin;
    ++sum.count;
  }
  std::vector<Sum> sums;
  for (auto& [name, sum] : by_name) sums.push_back({name.first + ": " + name.second, sum.took, sum.count});
  std::stable_sort(sums.begin(), sums.end(), [](const Sum& a, const Sum& b) { return a.took > b.took; });
  if (sums.size() <= screen_lines) return sums;
  Sum others{"others", {}, 0};
  for (std::size_t i = screen_lines - 1; i < sums.size(); ++i) {
    others.took += sums[i].took;
    others.count += sums[i].count;
  }
  sums.resize(screen_lines - 1);
  sums.push_back(others);
  return sums;
}

std::string in_sum(const Path& path) {
  Layout layout{path};
  const std::vector<Sum> sums = sums_of(path);
  for (const Sum& s : sums) {
    layout.fit(s.name, 54);
    layout.scale.fit(s.took);
  }
  std::string out = fmt::format("in sum over {} stages:\n{:<{}} {:>10} {:>10} {:>7}\n", path.segments.size(), "",
                                layout.names, "times", layout.scale.unit(), "share");
  for (const Sum& s : sums) {
    const Line from_left{s.name, path.begin, s.took, {{path.begin, path.begin + s.took}}};
    out += layout.line(s.name, std::to_string(s.count), s.took, layout.bar(from_left));
  }
  return out;
}

}  // namespace

Totals totals(const Path& path) {
  std::array<Time, kinds> sums{};
  for (const Segment& s : path.segments) sums[static_cast<std::size_t>(s.kind)] += s.end - s.begin;
  Totals out;
  for (int k = 0; k < kinds; ++k)
    if (sums[static_cast<std::size_t>(k)] > Time::zero())
      out.emplace_back(static_cast<Kind>(k), sums[static_cast<std::size_t>(k)]);
  return out;
}

std::string headline(const Message& m) {
  const std::string by = m.send.method.empty() ? "" : " by " + m.send.method;
  return fmt::format("{} from rank {} to rank {}{}: {}", to_string(m.send.size), m.send.rank, m.receive.rank, by,
                     short_text(m.latency()));
}

std::string waterfall(const Message& message, const Path& path) {
  const std::vector<Visit> visits = visits_of(path);
  const std::optional<std::int64_t> share = smallest_share(path, visits);
  return headline(message) + "\n" + (share ? in_time_order(path, visits, *share) : in_sum(path));
}

nlohmann::ordered_json to_json(const Message& m, const Path& path) {
  nlohmann::ordered_json out{{"from", m.send.rank},
                             {"to", m.receive.rank},
                             {"size_bytes", m.send.size.count()},
                             {"method", m.send.method},
                             {"latency_fs", m.latency().fs()}};
  auto& by_kind = out["by_kind_fs"] = nlohmann::ordered_json::object();
  for (const auto& [kind, time] : totals(path)) by_kind[name(kind)] = time.fs();
  auto& segments = out["segments"] = nlohmann::ordered_json::array();
  for (const Segment& s : path.segments)
    segments.push_back({{"device", s.device},
                        {"stage", s.what},
                        {"kind", name(s.kind)},
                        {"start_fs", (s.begin - path.begin).fs()},
                        {"duration_fs", (s.end - s.begin).fs()}});
  return out;
}

}  // namespace tsunagi::explain
