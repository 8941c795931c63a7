// SPDX-License-Identifier: Apache-2.0
#include "sweep/plan/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <utility>

#include "config/name.hpp"
#include "config/text/printable.hpp"
#include "runner/places.hpp"
#include "sweep/plan/quantity.hpp"
#include "sweep/plan/text.hpp"

namespace tsunagi::sweep {
namespace {

bool said(const RangeEntry& range) { return !range.from.empty(); }
bool said(const PowersEntry& powers) { return !powers.from.empty(); }

void describe_fields(ZippedEntry& c, config::Describer& d) {
  d.field("name", c.name, "column of the results and name in expressions: a letter, then letters, digits, _");
  d.field("path", c.path, "the places in the resolved run: a JSON pointer, or a path of several");
  d.field("paths", c.paths, "several such paths that take the same value");
  d.field("values", c.values, "the values, any JSON that the place takes, or {\"label\": TEXT, \"value\": it}");
  d.field("files", c.files, "files that the place takes one after the other, as by $use");
  d.object("range", c.range, "values at equal distances");
  d.object("powers_of_two", c.powers_of_two, "values that double");
}

void check(ZippedEntry& c, config::Describer& d) {
  d.require(config::is_name(c.name), c.name.empty()
                                         ? "an axis needs a \"name\""
                                         : fmt::format("\"{}\" is no name: a letter, then letters, digits, _", c.name));
  d.require(c.path.empty() != c.paths.empty(), "an axis needs either \"path\" or \"paths\"");
  const int ways = (c.values.empty() ? 0 : 1) + (c.files.empty() ? 0 : 1) + (said(c.range) ? 1 : 0) +
                   (said(c.powers_of_two) ? 1 : 0);
  const char* const all = "\"values\", \"files\", \"range\", \"powers_of_two\"";
  d.require(ways > 0, fmt::format("axis \"{}\" has no values; it takes them from one of {}", c.name, all));
  d.require(ways < 2, fmt::format("axis \"{}\" takes its values from only one of {}", c.name, all));
}

/// Makes a value a string that holds its JSON text.
void to_text(config::Value* value) {
  if (value == nullptr) return;
  config::Value text;
  text.type = config::Value::Type::string;
  text.text = config::to_json(*value).dump();
  text.place = value->place;
  *value = std::move(text);
}

void axis_as_text(config::Value& axis) {
  if (config::Value* values = axis.edit("values"))
    for (config::Value& item : values->items.edit()) to_text(&item);
  for (const char* key : {"range", "powers_of_two"}) {
    config::Value* range = axis.edit(key);
    if (range == nullptr) continue;
    for (const char* end : {"from", "to", "step"}) to_text(range->edit(end));
  }
}

/// The path in {"$use": "PATH.json"}, without the extension; "" if the value is anything else.
std::string used_file(const std::string& json) {
  const auto value = nlohmann::json::parse(json, nullptr, false);
  if (!value.is_object() || value.size() != 1 || !value.contains("$use") || !value["$use"].is_string()) return "";
  const std::filesystem::path file = std::filesystem::path(value["$use"].get<std::string>()).lexically_normal();
  return file.extension() == ".json" ? (file.parent_path() / file.stem()).string() : file.string();
}

/// A value, which may be {"label": TEXT, "value": ANY}.
AxisValue labelled(const std::string& json, const Where& where) {
  const auto value = nlohmann::ordered_json::parse(json, nullptr, false);
  if (!value.is_object() || value.size() != 2 || !value.contains("label") || !value.contains("value"))
    return {json, shown(json), where};
  if (!value["label"].is_string() || value["label"].get<std::string>().empty())
    throw config::ConfigError({where.says("a \"label\" is a text")});
  return {value["value"].dump(), value["label"].get<std::string>(), where, true};
}

/// Makes axes of entries of one document.
class Expander {
 public:
  Expander(const config::Document& document, std::vector<config::Message>& messages)
      : document_(document), messages_(messages) {}

  Axis axis(const ZippedEntry& entry, const std::string& pointer) {
    Axis axis{entry.name, entry.paths, {}, at(pointer)};
    if (!entry.path.empty()) axis.paths = {entry.path};
    for (std::size_t i = 0; i < entry.values.size(); ++i)
      axis.values.push_back(labelled(entry.values[i], at(fmt::format("{}/values/{}", pointer, i))));
    for (std::size_t i = 0; i < entry.files.size(); ++i)
      add_file(entry.files[i], at(fmt::format("{}/files/{}", pointer, i)), axis.values);
    name_files(axis.values);
    name_objects(axis.values);
    if (said(entry.range)) add_range(entry.range, at(pointer + "/range"), axis.values);
    if (said(entry.powers_of_two)) add_powers(entry.powers_of_two, at(pointer + "/powers_of_two"), axis.values);
    return axis;
  }

 private:
  Where at(const std::string& pointer) const { return {runner::place_of(document_, pointer), pointer}; }

  void add_file(const std::string& name, const Where& where, std::vector<AxisValue>& out) {
    const std::string path = relative_to(where.place, name).string();
    if (!config::is_utf8(path)) return messages_.push_back(where.says("the way to this file is no UTF-8: " + path));
    const std::string json = nlohmann::json{{"$use", path}}.dump();
    out.push_back({json, shown(json), where});
  }

  void add_range(const RangeEntry& range, const Where& where, std::vector<AxisValue>& out) {
    const auto from = quantity(range.from, "from", where);
    const auto to = quantity(range.to, "to", where);
    if (!from || !to) return;
    if (range.step.empty()) return add(where, out, [&] { return counted(*from, *to, range.count); });
    if (const auto step = quantity(range.step, "step", where))
      add(where, out, [&] { return stepped(*from, *to, *step); });
  }

  void add_powers(const PowersEntry& powers, const Where& where, std::vector<AxisValue>& out) {
    const auto from = quantity(powers.from, "from", where);
    const auto to = quantity(powers.to, "to", where);
    if (from && to) add(where, out, [&] { return doubled(*from, *to); });
  }

  std::optional<Quantity> quantity(const std::string& json, const char* key, const Where& parent) {
    auto q = quantity_of(json);
    if (!q)
      messages_.push_back(
          at(parent.pointer + "/" + key).says(json + " is neither a number nor a quantity such as \"120 ns\""));
    return q;
  }

  template <class Make>
  void add(const Where& where, std::vector<AxisValue>& out, Make make) {
    try {
      for (const Quantity& q : make()) {
        const std::string json = to_json_text(q);
        out.push_back({json, shown(json), where});
      }
    } catch (const std::invalid_argument& e) {
      messages_.push_back(where.says(e.what()));
    }
  }

  const config::Document& document_;
  std::vector<config::Message>& messages_;
};

}  // namespace

std::filesystem::path relative_to(const config::Place& place, const std::string& name) {
  const std::filesystem::path folder =
      place.file && place.line > 0 ? std::filesystem::path(*place.file).parent_path() : std::filesystem::path();
  return (folder / name).lexically_normal();
}

std::string shown(const std::string& json) {
  const auto value = nlohmann::json::parse(json, nullptr, false);
  return value.is_string() ? value.get<std::string>() : json;
}

void name_files(std::vector<AxisValue>& values) {
  std::vector<std::string> files;  // "" for what is none
  std::vector<std::string> known;
  for (const AxisValue& value : values) {
    files.push_back(used_file(value.json));
    if (!files.back().empty()) known.push_back(files.back());
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!files[i].empty() && !values[i].labelled)
      values[i].shown = shortest_end(known, files[i], [](const std::string&) { return true; });
}

void name_objects(std::vector<AxisValue>& values) {
  using Json = nlohmann::ordered_json;
  std::vector<Json> objects;                          // null for what is none
  std::map<std::string, std::set<std::string>> said;  // by key
  for (const AxisValue& value : values) {
    Json json = Json::parse(value.json, nullptr, false);
    objects.push_back(json.is_object() && !value.labelled && value.shown == value.json ? std::move(json) : Json());
    for (const auto& [key, its] : objects.back().items()) said[key].insert(its.dump());
  }
  const auto count = static_cast<std::size_t>(
      std::count_if(objects.begin(), objects.end(), [](const Json& o) { return !o.is_null(); }));
  const auto lacks = [](const std::string& key) {
    return [&key](const Json& o) { return !o.is_null() && !o.contains(key); };
  };
  std::vector<std::string> names;
  for (const Json& object : objects) {
    std::string name;
    for (const auto& [key, its] : object.items())
      if (!its.is_structured() && (said[key].size() > 1 || std::any_of(objects.begin(), objects.end(), lacks(key))))
        name += (name.empty() ? "" : ", ") + (key == "kind" ? "" : key + " ") + shown(its.dump());
    names.push_back(name);
  }
  std::set<std::string> distinct(names.begin(), names.end());
  distinct.erase("");
  if (count < 2 || distinct.size() != count) return;  // as they are written, they are told apart
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!objects[i].is_null()) values[i].shown = names[i];
}

void describe(RangeEntry& c, config::Describer& d) {
  d.field("from", c.from, "first value", config::required);
  d.field("to", c.to, "last value; with a step that does not meet it, the last one before it", config::required);
  d.field("step", c.step, "distance of two values");
  d.field("count", c.count, "instead of the step: how many values, at least 2", config::at_least(std::int64_t{2}));
  d.require(c.step.empty() != (c.count == 0), "a range needs either \"step\" or \"count\"");
}

void describe(PowersEntry& c, config::Describer& d) {
  d.field("from", c.from, "first value, above 0", config::required);
  d.field("to", c.to, "no value is above it", config::required);
}

void describe(ZippedEntry& c, config::Describer& d) {
  describe_fields(c, d);
  check(c, d);
}

void describe(AxisEntry& c, config::Describer& d) {
  describe_fields(c.axis, d);
  d.list("zip", c.zip, "instead of all that: axes that advance together");
  if (c.zip.empty()) return check(c.axis, d);
  const ZippedEntry& a = c.axis;
  d.require(a.name.empty() && a.path.empty() && a.paths.empty() && a.values.empty() && a.files.empty() &&
                !said(a.range) && !said(a.powers_of_two),
            "a zip has nothing beside it; names, places and values belong to the axes in it");
}

void values_as_text(config::Value& sweep) {
  config::Value* axes = sweep.edit("axes");
  if (axes == nullptr) return;
  for (config::Value& axis : axes->items.edit()) {
    axis_as_text(axis);
    if (config::Value* zip = axis.edit("zip"))
      for (config::Value& zipped : zip->items.edit()) axis_as_text(zipped);
  }
}

Dimension expand(const AxisEntry& entry, const config::Document& document, std::size_t index,
                 std::vector<config::Message>& messages) {
  Expander expander(document, messages);
  const std::string pointer = fmt::format("/axes/{}", index);
  if (entry.zip.empty()) return {expander.axis(entry.axis, pointer)};
  Dimension zip;
  for (std::size_t i = 0; i < entry.zip.size(); ++i)
    zip.push_back(expander.axis(entry.zip[i], fmt::format("{}/zip/{}", pointer, i)));
  return zip;
}

}  // namespace tsunagi::sweep
