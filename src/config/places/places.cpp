// SPDX-License-Identifier: Apache-2.0
#include "config/places/places.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "config/message.hpp"
#include "config/places/path_part.hpp"
#include "config/suggest.hpp"

namespace tsunagi::config {

namespace {

using detail::PathPart;
using nlohmann::ordered_json;

struct Spot {
  std::string pointer;
  const ordered_json* value;
};

/// Calls `visit(name, child)` for each child that a path may name.
template <class Visit>
void for_each_child(const ordered_json& value, Visit visit) {
  std::size_t index = 0;
  if (value.is_array())
    for (const ordered_json& item : value) visit(std::to_string(index++), item);
  if (value.is_object())
    for (const auto& [name, item] : value.get_ref<const ordered_json::object_t&>())
      if (name.empty() || name[0] != '$') visit(name, item);
}

void add_all_below(const Spot& from, std::vector<Spot>& out) {
  out.push_back(from);
  for_each_child(*from.value, [&](const std::string& name, const ordered_json& child) {
    add_all_below({below(from.pointer, name), &child}, out);
  });
}

/// Those that several ways lead to, once.
void drop_repeated(std::vector<Spot>& spots) {
  std::unordered_set<const ordered_json*> seen;
  const auto repeated = [&seen](const Spot& s) { return !seen.insert(s.value).second; };
  spots.erase(std::remove_if(spots.begin(), spots.end(), repeated), spots.end());
}

std::string text_of(const ordered_json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

/// Follows a path part by part through one tree.
class Search {
 public:
  Search(const ordered_json& tree, const std::vector<PathPart>& parts) {
    spots_.push_back({"", &tree});
    for (; reached_ < parts.size(); ++reached_) {
      std::vector<Spot> next = step(parts[reached_]);
      if (next.empty()) return;
      spots_ = std::move(next);
    }
  }

  /// How many parts of the path have places, and where these are.
  std::size_t reached() const { return reached_; }
  const std::vector<Spot>& spots() const { return spots_; }

 private:
  std::vector<Spot> step(const PathPart& part) const {
    std::vector<Spot> out;
    for (const Spot& spot : spots_) {
      if (part.any_depth) {
        add_all_below(spot, out);
        continue;
      }
      if (spot.value->is_object() && spot.value->contains(part.written)) {
        out.push_back({below(spot.pointer, part.written), &(*spot.value)[part.written]});
        continue;
      }
      for_each_child(*spot.value, [&](const std::string& name, const ordered_json& child) {
        if (part.fits_name(name) && part.fits(child)) out.push_back({below(spot.pointer, name), &child});
      });
    }
    drop_repeated(out);
    return out;
  }

  std::vector<Spot> spots_;
  std::size_t reached_ = 0;
};

constexpr std::size_t most_listed = 24;

std::string told(const std::string& what, const std::string& word, const std::set<std::string>& known,
                 const std::string& plural) {
  const std::vector<std::string> words(known.begin(), known.end());
  std::string text = what + detail::did_you_mean(word, words);
  if (words.empty() || words.size() > most_listed) return text;
  return text + (text.back() == '?' ? " " : "; ") + plural + " there: " + detail::listed(words);
}

/// Why `part` has no place below these.
std::string fault_of(const PathPart& part, const std::string& before, const std::vector<Spot>& spots) {
  const std::string where = before.empty() ? "" : " below " + in_quotes(before);
  std::set<std::string> names;
  bool has_children = false;
  std::vector<const ordered_json*> named;  // whose name fits
  for (const Spot& spot : spots) {
    for_each_child(*spot.value, [&](const std::string& name, const ordered_json& child) {
      has_children = true;
      if (spot.value->is_object()) names.insert(name);
      if (part.fits_name(name)) named.push_back(&child);
    });
  }
  if (!has_children) return "nothing is" + where + ": " + (spots.size() == 1 ? "it has a value" : "they have values");
  const bool half = part.conditions.empty() && part.written.find('[') != std::string::npos;
  if (named.empty() && half) return "there is no " + in_quotes(part.written) + where + "; conditions are [KEY=VALUE]";
  if (named.empty()) return told("there is no " + in_quotes(part.written) + where, part.name, names, "keys");
  for (const detail::Condition& condition : part.conditions) {
    std::set<std::string> values;
    std::set<std::string> keys;
    for (const ordered_json* value : named) {
      if (!value->is_object()) continue;
      for_each_child(*value, [&](const std::string& key, const ordered_json& child) {
        keys.insert(key);
        if (key == condition.key && !child.is_structured()) values.insert(text_of(child));
      });
    }
    if (values.empty())
      return told("no object" + where + " has a " + in_quotes(condition.key), condition.key, keys, "keys");
    const auto fits = [&](const std::string& value) { return detail::fits_glob(condition.value, value); };
    if (std::none_of(values.begin(), values.end(), fits))
      return told("no object" + where + " has the " + condition.key + " " + in_quotes(condition.value), condition.value,
                  values, "values");
  }
  return "no object" + where + " is all of " + in_quotes(part.written);
}

/// A place that is inside another would be gone when that is set.
std::string nested(const std::vector<std::string>& pointers) {
  const std::set<std::string> all(pointers.begin(), pointers.end());
  for (const std::string& pointer : pointers)
    for (std::size_t slash = pointer.rfind('/'); slash != std::string::npos && slash > 0;
         slash = pointer.rfind('/', slash - 1))
      if (all.count(pointer.substr(0, slash)) != 0)
        return "is " + pointer.substr(0, slash) + " and " + pointer + " inside it: only one of them can be set";
  return {};
}

}  // namespace

Places find_places(std::string_view path, const std::vector<const ordered_json*>& trees) {
  std::vector<PathPart> parts;
  if (const std::string wrong = detail::parse_path(path, parts); !wrong.empty()) return {{}, wrong};
  Places out;
  std::set<std::string> known;
  std::optional<Search> farthest;
  for (const ordered_json* tree : trees) {
    Search search(*tree, parts);
    if (search.reached() == parts.size())
      for (const Spot& spot : search.spots())
        if (known.insert(spot.pointer).second) out.pointers.push_back(spot.pointer);
    if (!farthest || farthest->reached() < search.reached()) farthest = std::move(search);
  }
  if (out.pointers.empty() && farthest) {
    std::string before;
    const std::size_t first = path.front() == '/' ? 0 : 1;
    for (std::size_t i = first; i < farthest->reached(); ++i)
      before += (i > 0 && i == first ? "" : "/") + parts[i].written;
    out.fault = fault_of(parts[farthest->reached()], before, farthest->spots());
  }
  if (out.fault.empty()) out.fault = nested(out.pointers);
  if (!out.fault.empty()) out.pointers.clear();
  return out;
}

}  // namespace tsunagi::config
