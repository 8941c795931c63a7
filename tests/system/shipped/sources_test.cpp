// SPDX-License-Identifier: Apache-2.0
// Every parameter that the published figures' runs use says where its value comes from (docs/fitting.md).
#include <algorithm>
#include <filesystem>
#include <set>

#include "cluster/catalogs.hpp"
#include "config/config.hpp"
#include "figures/run_plan.hpp"
#include "support/catch.hpp"

namespace sources_test {

using namespace tsunagi;
namespace fs = std::filesystem;

namespace {

std::vector<figures::FigureEntry> all_figures() {
  std::vector<fs::path> files;
  for (const auto& file : fs::directory_iterator(TSUNAGI_TEST_CONFIGS "/figures")) files.push_back(file.path());
  std::sort(files.begin(), files.end());
  return figures::load_figures(files);
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Names, addresses and counts of what is wired say what a machine is made of, not how fast it is.
bool is_structure(const std::string& key) {
  static const std::set<std::string> names{"kind", "name", "title", "base", "window_size", "cores", "nodes"};
  return names.count(key) != 0 || ends_with(key, "_base");
}

bool is_scalar(const config::Value& value) { return value.type != config::Value::Type::array && !value.is_object(); }

bool is_in_part_file(const config::Place& place) {
  return place.file && fs::path(*place.file).parent_path().filename() == "parts";
}

/// What part files write without saying where it comes from, "peach2.json:3:5: nodes". A list has one source for all
/// that it lists, or its items have their own.
void unsourced(const config::Value& value, std::set<std::string>& out) {
  for (const config::Value& item : value.items) unsourced(item, out);
  const config::Value* sources = value.find("$sources");
  for (const config::Member& m : value.members) {
    if (m.name == "$sources") continue;
    const bool has_source = sources != nullptr && sources->find(m.name) != nullptr;
    if (!has_source || m.value.type != config::Value::Type::array) unsourced(m.value, out);
    if (is_scalar(m.value) && is_in_part_file(m.place) && !is_structure(m.name) && !has_source)
      out.insert(m.place.text() + ": " + m.name);
  }
}

/// Fields of machine and library that limit something, written or not, without a source: "tags of peach2".
std::set<std::string> unsourced_limits(const figures::RunPlan& plan, std::size_t run) {
  std::set<std::string> sourced;
  for (const config::Provenance& source : plan.sources(run)) sourced.insert(source.pointer);
  std::set<std::string> out;
  RunConfig config = plan.configs()[run];
  for (const config::IdealField& field : config::ideals(config)) {
    const bool of_parts = field.pointer.rfind("/machine", 0) == 0 || field.pointer.rfind("/library", 0) == 0;
    const bool has_source = sourced.count(field.pointer) != 0 || sourced.count(field.follows) != 0;
    if (of_parts && !field.is_ideal && !field.ideal.is_boolean() && !has_source)
      out.insert(field.key + " of " + field.kind + " (" + field.value + ")");
  }
  return out;
}

}  // namespace

TEST_CASE("every parameter of the figures' runs says where it comes from") {
  const figures::RunPlan plan(all_figures(), all_kinds());
  REQUIRE(plan.configs().size() > 10);
  for (std::size_t run = 0; run < plan.configs().size(); ++run) {
    CAPTURE(plan.document(run).name);
    std::set<std::string> written;
    unsourced(plan.document(run).root, written);
    CHECK(written == std::set<std::string>{});
    CHECK(unsourced_limits(plan, run) == std::set<std::string>{});
  }
}

}  // namespace sources_test
