// SPDX-License-Identifier: Apache-2.0
#include "figures/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace tsunagi::figures {
namespace {

using config::Message;
using config::Value;

/// Reads the keys that count, and collects what is wrong with them.
class BaselineReader {
 public:
  explicit BaselineReader(const config::Document& document) : document_(document), messages_(document.problems) {}

  Baseline read() {
    Baseline out{document_.name, text(document_.root, "", "tsunagi", false), {}};
    const Value* figures = document_.root.find("figures");
    if (figures == nullptr || figures->type != Value::Type::array) {
      const config::Place& place = figures == nullptr ? document_.root.place : figures->place;
      messages_.push_back(
          {place, "", "is no baseline: it needs an array \"figures\", as `check --format json` writes"});
    } else {
      for (const Value& figure : figures->items)
        out.figures.push_back(pinned(figure, "/figures/" + std::to_string(out.figures.size())));
    }
    config::throw_if_any(messages_);
    return out;
  }

 private:
  Pinned pinned(const Value& figure, const std::string& pointer) {
    Pinned out;
    if (!figure.is_object()) {
      messages_.push_back({figure.place, pointer, "must be an object"});
      return out;
    }
    out.id = text(figure, pointer, "id", true);
    out.system = text(figure, pointer, "system", false);
    if (!out.id.empty() && !ids_.insert(out.id).second)
      messages_.push_back({figure.place, pointer, fmt::format("figure {} is there twice", config::in_quotes(out.id))});
    const Value* simulated = figure.find("simulated");
    if (simulated == nullptr)
      messages_.push_back({figure.place, pointer, "has no \"simulated\""});
    else if (simulated->type == Value::Type::integer || simulated->type == Value::Type::number)
      out.simulated = simulated->number;
    else if (simulated->type != Value::Type::null)
      messages_.push_back({simulated->place, pointer + "/simulated", "must be a number or null"});
    if (const Value* digests = figure.find("digests")) read_digests(*digests, pointer + "/digests", out);
    return out;
  }

  void read_digests(const Value& digests, const std::string& pointer, Pinned& out) {
    if (!digests.is_object()) {
      messages_.push_back({digests.place, pointer, "must be an object"});
      return;
    }
    out.digests.emplace();
    for (const config::Member& m : digests.members)
      out.digests->emplace_back(m.name, text(digests, pointer, m.name, true));
  }

  std::string text(const Value& object, const std::string& pointer, const std::string& key, bool required) {
    const Value* value = object.find(key);
    if (value != nullptr && value->is_string()) return value->text;
    if (value != nullptr)
      messages_.push_back({value->place, config::below(pointer, key), "must be a string"});
    else if (required)
      messages_.push_back({object.place, pointer, fmt::format("has no {}", config::in_quotes(key))});
    return "";
  }

  const config::Document& document_;
  std::vector<Message> messages_;
  std::set<std::string> ids_;
};

std::string value_text(std::optional<double> value) { return value ? fmt::format("{}", *value) : "no value"; }

/// Of a run that measures something else; empty: none does.
std::string digests_moved(const Pinned& before, const Verdict& now) {
  if (!before.digests) return "";
  const std::map<std::string, std::string> then(before.digests->begin(), before.digests->end());
  const std::map<std::string, std::string> today(now.digests.begin(), now.digests.end());
  std::vector<std::string> out;
  for (const auto& [run, digest] : then) {
    const auto its = today.find(run);
    if (its == today.end())
      out.push_back(fmt::format("run \"{}\" is gone or failed", run));
    else if (its->second != digest)
      out.push_back(fmt::format("run \"{}\": digest {} -> {}", run, digest, its->second));
  }
  for (const auto& [run, digest] : today)
    if (then.count(run) == 0) out.push_back(fmt::format("run \"{}\" is new", run));
  return fmt::format("{}", fmt::join(out, "; "));
}

Moves::Move move_of(const Pinned& before, const Verdict& now) {
  const std::string& unit = now.entry.figure.unit;
  Moves::Move out{Moves::Kind::same, before.simulated, ""};
  const std::string digests = digests_moved(before, now);
  if (before.simulated != now.simulated) {
    out.what = fmt::format("{} -> {} {}", value_text(before.simulated), value_text(now.simulated), unit);
    if (before.simulated && now.simulated && *before.simulated != 0)
      out.what += fmt::format(" ({:+.3g} %)", (*now.simulated - *before.simulated) / std::abs(*before.simulated) * 100);
  } else if (!digests.empty()) {
    out.what = fmt::format("{} {} as before, but other rows", value_text(now.simulated), unit);
  }
  if (!digests.empty()) out.what += "; " + digests;
  if (!out.what.empty()) out.kind = Moves::Kind::moved;
  return out;
}

}  // namespace

Baseline baseline_in(const config::Document& document) { return BaselineReader(document).read(); }

bool Moves::all_hold() const {
  return gone.empty() &&
         std::none_of(figures.begin(), figures.end(), [](const Move& m) { return m.kind == Kind::moved; });
}

bool pins_any(const Baseline& baseline, const std::vector<FigureEntry>& figures) {
  std::set<std::string> pinned;
  for (const Pinned& p : baseline.figures) pinned.insert(p.id);
  return std::any_of(figures.begin(), figures.end(),
                     [&](const FigureEntry& e) { return pinned.count(e.figure.id) != 0; });
}

Moves moves_since(const Baseline& baseline, const std::vector<Verdict>& verdicts,
                  const std::function<bool(const Pinned&)>& may_be_gone) {
  std::map<std::string, const Pinned*> before;
  for (const Pinned& p : baseline.figures) before.emplace(p.id, &p);
  Moves out;
  for (const Verdict& v : verdicts) {
    const auto its = before.find(v.entry.figure.id);
    out.figures.push_back(its == before.end() ? Moves::Move() : move_of(*its->second, v));
    if (its != before.end()) before.erase(its);
  }
  for (const Pinned& p : baseline.figures)
    if (before.count(p.id) != 0 && may_be_gone(p)) out.gone.push_back(p);
  return out;
}

std::string text(const Baseline& baseline, const Moves& moves, const std::vector<Verdict>& verdicts) {
  std::map<Moves::Kind, int> count;
  std::string lines;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const Moves::Move& m = moves.figures[i];
    const std::string& id = verdicts[i].entry.figure.id;
    ++count[m.kind];
    if (m.kind == Moves::Kind::moved) lines += fmt::format("moved  {}: {}\n", id, m.what);
    if (m.kind == Moves::Kind::added) lines += fmt::format("new    {}\n", id);
  }
  for (const Pinned& p : moves.gone) lines += fmt::format("gone   {}\n", p.id);
  const bool digests = std::all_of(baseline.figures.begin(), baseline.figures.end(),
                                   [](const Pinned& p) { return p.digests.has_value(); });
  return fmt::format("since {}{}: {} exactly as before, {} moved, {} new, {} gone{}\n{}", baseline.file,
                     baseline.version.empty() ? "" : fmt::format(" (tsunagi {})", baseline.version),
                     count[Moves::Kind::same], count[Moves::Kind::moved], count[Moves::Kind::added], moves.gone.size(),
                     digests ? "" : "; it has no digests, so only values are held against it", lines);
}

}  // namespace tsunagi::figures
