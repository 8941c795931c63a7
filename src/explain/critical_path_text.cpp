// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "explain/critical_path.hpp"
#include "explain/text.hpp"
#include "report/formats/table_layout.hpp"
#include "units/parse.hpp"

namespace tsunagi::explain {
namespace {

constexpr std::size_t leg_columns = 100;
constexpr std::size_t most_names = 50;  // columns
constexpr std::size_t most_legs = 24;
constexpr std::size_t most_ranks = 12;  // in the line that lists them

std::string what_was_done(const comm::Together& t) {
  std::string out = t.name;
  if (t.size > Bytes::zero()) out += " of " + to_string(t.size);
  out += fmt::format(" among {} rank{}", t.ranks, t.ranks == 1 ? "" : "s");
  if (t.root >= 0) out += fmt::format(", root {}", t.root);
  if (!t.algorithm.empty()) out += ", by " + t.algorithm;
  return out;
}

/// "rank 0 > rank 8, 64 KiB"
std::string plain_label(const Leg& l) {
  switch (l.kind) {
    case Leg::Kind::message:
      break;
    case Leg::Kind::work:
      return fmt::format("rank {}", l.rank);
    case Leg::Kind::leaving:
      if (l.peer < 0) return fmt::format("rank {} until its puts of {} have left", l.rank, to_string(l.size));
      return fmt::format("rank {} until {} to rank {} has left", l.rank, to_string(l.size), l.peer);
    case Leg::Kind::room:
      return fmt::format("rank {} until rank {} has room", l.rank, l.peer);
    case Leg::Kind::late:
      return fmt::format("rank {} has not begun", l.rank);
  }
  const std::string ends = fmt::format("rank {} > rank {}", l.peer, l.rank);
  if (l.envelope == comm::Envelope::Kind::ready_to_send) return ends + ", ready to send";
  if (l.envelope == comm::Envelope::Kind::clear_to_send) return ends + ", clear to send";
  if (l.envelope == comm::Envelope::Kind::fetched) return ends + ", has fetched";
  return ends + (l.size > Bytes::zero() ? ", " + to_string(l.size) : "");
}

std::string label(const Leg& l) { return (l.before ? "before: " : "") + plain_label(l); }

std::string ranks_line(const CriticalPath& p) {
  const auto messages =
      std::count_if(p.legs.begin(), p.legs.end(), [](const Leg& l) { return l.kind == Leg::Kind::message; });
  std::string out = fmt::format("critical path, {} message{}: rank ", messages, messages == 1 ? "" : "s");
  const std::size_t n = p.ranks.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (n > most_ranks && i == most_ranks / 2) {
      out += " > ...";
      i = n - most_ranks / 2;
    }
    out += fmt::format("{}{}", i == 0 ? "" : " > ", p.ranks[i]);
  }
  return out;
}

/// Lines of a table of legs.
struct LegTable {
  const CriticalPath& path;
  std::size_t names = 0;
  Scale scale{path.end - path.begin};

  explicit LegTable(const CriticalPath& p) : path(p) {
    for (const Leg& l : p.legs) {
      names = std::max(names, std::min(report::width(label(l)), most_names));
      for (const Time t : {l.begin - p.begin, l.end - p.begin, l.took()}) scale.fit(t);
      for (const auto& [name, time] : l.parts) scale.fit(time);
    }
  }

  std::string line(const std::string& name, Time begin, Time end, Time took) const {
    return fmt::format("{:<{}} {:>10} {:>10} {:>10} {:>7}\n", shortened(name, names), names, scale(begin - path.begin),
                       scale(end - path.begin), scale(took), percent(took, path.took()));
  }

  /// Behind the leg's own numbers, or, where that is too long, on lines below.
  std::string leg(const Leg& l) const {
    std::vector<std::string> parts;
    std::size_t all = 0;
    for (const auto& [name, time] : l.parts) {
      parts.push_back(l.parts.size() == 1 ? name : fmt::format("{} {}", name, scale(time)));
      all += parts.back().size() + 2;
    }
    std::string out = line(label(l), l.begin, l.end, l.took());
    out.pop_back();
    if (report::width(out) + all <= leg_columns) return out + (parts.empty() ? "" : "  ") + joined(parts) + "\n";
    std::string below = " ";
    for (const std::string& p : parts) {
      if (below.size() + p.size() + 2 > leg_columns) {
        out += "\n" + below;
        below = " ";
      }
      below += " " + p + (&p == &parts.back() ? "" : ",");
    }
    return out + "\n" + below + "\n";
  }

  static std::string joined(const std::vector<std::string>& parts) { return fmt::format("{}", fmt::join(parts, ", ")); }
};

std::string slack_line(const CriticalPath& p) {
  const CriticalPath::Slack& s = p.slack;
  if (s.ranks == 0) return "All ranks are on the path.\n";
  const std::string who = s.ranks == 1 ? "The other rank ends" : fmt::format("The {} other ranks end", s.ranks);
  if (s.most == Time::zero()) return who + " with the last one: no slack.\n";
  const std::string when =
      s.least == s.most ? short_text(s.least) : fmt::format("{} to {}", short_text(s.least), short_text(s.most));
  return fmt::format("{} {} before the last one (slack).\n", who, when);
}

/// Of all messages on the path.
nlohmann::ordered_json stages_to_json(const CriticalPath& p) {
  std::vector<Leg::Stage> all;
  for (const Leg& l : p.legs)
    for (const Leg::Stage& s : l.stages) {
      const auto same =
          std::find_if(all.begin(), all.end(), [&](const Leg::Stage& each) { return each.what == s.what; });
      if (same == all.end()) {
        all.push_back(s);
      } else {
        same->times += s.times;
        same->took += s.took;
      }
    }
  auto out = nlohmann::ordered_json::array();
  for (const Leg::Stage& s : all) out.push_back({{"stage", s.what}, {"times", s.times}, {"duration_fs", s.took.fs()}});
  return out;
}

}  // namespace

std::string to_text(const CriticalPath& p) {
  const LegTable table(p);
  std::string out = fmt::format("{}: {}\n{}\n", what_was_done(p.call), short_text(p.took()), ranks_line(p));
  out += fmt::format("{:<{}} {:>10} {:>10} {:>10} {:>7}\n", "", table.names, "from", "to", table.scale.unit(), "share");
  const std::size_t n = p.legs.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (n > most_legs && i == most_legs / 2) {
      const std::size_t end = n - most_legs / 2;
      const Leg& last = p.legs[end - 1];
      const Time begin = p.legs[i].begin;
      out += table.line(fmt::format("... {} more", end - i), begin, last.end, last.end - begin);
      i = end;
    }
    out += table.leg(p.legs[i]);
  }
  const bool before = std::any_of(p.legs.begin(), p.legs.end(), [](const Leg& l) { return l.before; });
  return out + (before ? "before: in what the rank did before this, while others had begun.\n" : "") + slack_line(p);
}

nlohmann::ordered_json to_json(const CriticalPath& p) {
  const comm::Together& t = p.call;
  nlohmann::ordered_json out{
      {"name", t.name}, {"algorithm", t.algorithm},     {"call", t.number},    {"ranks", t.ranks},
      {"root", t.root}, {"size_bytes", t.size.count()}, {"last_rank", t.rank}, {"duration_fs", p.took().fs()}};
  if (t.root < 0) out.erase("root");
  auto& legs = out["critical_path"] = nlohmann::ordered_json::array();
  for (const Leg& l : p.legs) {
    nlohmann::ordered_json leg{{"kind", name(l.kind)}, {"rank", l.rank}};
    if (l.peer >= 0) leg[l.kind == Leg::Kind::message ? "from" : "peer"] = l.peer;
    if (l.kind == Leg::Kind::message) {
      constexpr const char* envelopes[] = {"message", "ready to send", "clear to send", "message", "fetched"};
      leg["what"] = envelopes[static_cast<std::size_t>(l.envelope)];
    }
    if (l.kind == Leg::Kind::message || l.kind == Leg::Kind::leaving) leg["size_bytes"] = l.size.count();
    leg["start_fs"] = (l.begin - p.begin).fs();
    leg["duration_fs"] = l.took().fs();
    auto& parts = leg["parts_fs"] = nlohmann::ordered_json::object();
    for (const auto& [part, time] : l.parts) parts[part] = time.fs();
    if (l.before) leg["before"] = true;
    legs.push_back(std::move(leg));
  }
  out["stages"] = stages_to_json(p);
  out["slack"] = {{"ranks", p.slack.ranks}, {"least_fs", p.slack.least.fs()}, {"most_fs", p.slack.most.fs()}};
  return out;
}

}  // namespace tsunagi::explain
