// SPDX-License-Identifier: Apache-2.0
#include "sweep/plan/sweep_config.hpp"

namespace tsunagi::sweep {
namespace {

using nlohmann::ordered_json;

/// Lets a property be something else than the text that the reader holds it as.
void retype(ordered_json& property, ordered_json type) {
  property.erase("type");
  property.erase("default");
  property.update(type);
}

void retype_axis(ordered_json& axis) {
  ordered_json& properties = axis["properties"];
  properties["values"]["items"] = ordered_json::object();
  const ordered_json quantity{{"type", {"number", "string"}}};
  for (const char* end : {"from", "to", "step"}) retype(properties["range"]["properties"][end], quantity);
  for (const char* end : {"from", "to"}) retype(properties["powers_of_two"]["properties"][end], quantity);
}

}  // namespace

ordered_json sweep_schema() {
  ordered_json schema = config::json_schema<SweepFile>(config::Kinds{}, "a sweep");
  retype(schema["properties"]["run"], {{"type", {"string", "object"}}});
  ordered_json& axis = schema["properties"]["axes"]["items"];
  retype_axis(axis);
  retype_axis(axis["properties"]["zip"]["items"]);
  return schema;
}

}  // namespace tsunagi::sweep
