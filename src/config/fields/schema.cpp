// SPDX-License-Identifier: Apache-2.0
#include "config/fields/schema.hpp"

#include <stdexcept>
#include <utility>
#include <vector>

#include "config/fields/object_schema.hpp"

namespace tsunagi::config::detail {

namespace {

using nlohmann::ordered_json;

ordered_json use_schema() {
  return {{"type", "string"}, {"description", "a file, relative to this one, whose object this one extends"}};
}

ordered_json lines_schema() {
  return {{"type", "string"},
          {"description", "a text file, relative to this one: a string a line, \"#\" begins a comment"}};
}

ordered_json sources_schema() {
  const ordered_json text{{"type", "string"}, {"minLength", 1}};
  ordered_json needs_range{{"if", {{"properties", {{"class", {{"enum", {"assumed", "fitted"}}}}}}}},
                           {"then", {{"required", ordered_json::array({"range"})}}}};
  ordered_json needs_figures{{"if", {{"properties", {{"class", {{"const", "fitted"}}}}}}},
                             {"then", {{"required", ordered_json::array({"fitted_to"})}}}};
  ordered_json entry{
      {"type", "object"},
      {"properties",
       {{"class", {{"enum", {"specification", "datasheet", "paper", "measured", "assumed", "fitted"}}}},
        {"source", text},
        {"range", {{"type", "array"}, {"minItems", 2}, {"description", "low and high"}}},
        {"fitted_to", {{"type", "array"}, {"items", text}, {"minItems", 1}, {"description", "figure ids"}}},
        {"note", {{"type", "string"}}}}},
      {"required", ordered_json::array({"class", "source"})},
      {"allOf", ordered_json::array({std::move(needs_range), std::move(needs_figures)})},
      {"additionalProperties", false}};
  return {{"type", "object"},
          {"description", "where the values of this object's fields come from"},
          {"additionalProperties", std::move(entry)}};
}

/// Adds the two "$defs" entries of one family.
void define_family(const KindTable& table, std::vector<std::string>& families, ordered_json& defs) {
  ordered_json names = ordered_json::array();
  ordered_json shapes = ordered_json::array();
  ordered_json demands = ordered_json::array();
  std::string doc = "a " + table.family;
  for (const Kind& kind : table.kinds) {
    ObjectSchema schema(families);
    schema.add_property("kind", {{"const", kind.name}});
    kind.make()->describe(schema);
    const ordered_json test{{"properties", {{"kind", {{"const", kind.name}}}}},
                            {"required", ordered_json::array({"kind"})}};
    names.push_back(kind.name);
    shapes.push_back({{"if", test}, {"then", schema.shape()}});
    if (ordered_json demand = schema.demand(); !demand.empty()) {
      demands.push_back({{"if", test}, {"then", std::move(demand)}});
    }
    doc += "\n" + kind.name + ": " + kind.doc;
  }
  ordered_json shape{{"type", "object"},
                     {"properties", {{"kind", {{"enum", std::move(names)}, {"description", std::move(doc)}}}}}};
  ordered_json demand{{"required", ordered_json::array({"kind"})}};
  if (!shapes.empty()) shape["allOf"] = std::move(shapes);
  if (!demands.empty()) demand["allOf"] = std::move(demands);
  defs[shape_name(table.family)] = std::move(shape);
  defs[demand_name(table.family)] = unless_used(std::move(demand));
}

/// What every schema has beside its `body`: who it is, and definitions of what it refers to.
ordered_json whole(const std::string& title, const ordered_json& body, std::vector<std::string> families,
                   const Kinds& kinds) {
  ordered_json defs{{"$use", use_schema()}, {"$lines", lines_schema()}, {"$sources", sources_schema()}};
  for (std::size_t i = 0; i < families.size(); ++i) {
    const std::string family = families[i];  // define_family may add more
    const KindTable* table = kinds.find(family);
    if (table == nullptr) throw std::logic_error("no kinds of the family \"" + family + "\"");
    define_family(*table, families, defs);
  }
  ordered_json out{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  out.update(body);
  out["$defs"] = std::move(defs);
  return out;
}

}  // namespace

ordered_json json_schema(const Body& body, const Kinds& kinds, const std::string& title) {
  std::vector<std::string> families;
  ObjectSchema root(families);
  root.add_property("$schema", {{"type", "string"}});
  body(root);
  ordered_json both = root.shape();
  both.update(root.demand());
  return whole(title, both, families, kinds);
}

}  // namespace tsunagi::config::detail

namespace tsunagi::config {

using nlohmann::ordered_json;

ordered_json part_schema(const std::vector<std::string>& families, const Kinds& kinds, const std::string& title) {
  ordered_json any = ordered_json::array();
  for (const std::string& family : families) {
    const auto reference = [](const std::string& name) { return ordered_json{{"$ref", "#/$defs/" + name}}; };
    any.push_back({{"allOf", {reference(detail::shape_name(family)), reference(detail::demand_name(family))}}});
  }
  const ordered_json body = any.size() == 1 ? any[0] : ordered_json{{"anyOf", std::move(any)}};
  return detail::whole(title, body, families, kinds);
}

ordered_json part_schema(const Kind& kind, const Kinds& kinds) {
  std::vector<std::string> families;
  detail::ObjectSchema root(families);
  root.add_property("$schema", {{"type", "string"}});
  root.add_property("kind", {{"const", kind.name}});
  kind.make()->describe(root);
  ordered_json both = root.shape();
  both["allOf"] =
      ordered_json::array({root.demand(), detail::unless_used({{"required", ordered_json::array({"kind"})}})});
  if (both["allOf"][0].empty()) both["allOf"].erase(0);
  return detail::whole(kind.name + ": " + kind.doc, both, families, kinds);
}

}  // namespace tsunagi::config
