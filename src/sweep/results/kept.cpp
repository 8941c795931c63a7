// SPDX-License-Identifier: Apache-2.0
#include "sweep/results/kept.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "config/quantity.hpp"
#include "report/whole_file.hpp"
#include "sweep/results/own_files.hpp"
#include "sweep/results/store.hpp"

namespace tsunagi::sweep {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> out;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (!report::is_part(entry->path())) out.push_back(entry->path());
  if (error) throw std::system_error(error, "cannot read the folder " + folder.string());
  std::sort(out.begin(), out.end());
  return out;
}

void read_manifest(const fs::path& folder, Kept& out) {
  const auto text = own_text(folder / "sweep.json");
  const Json manifest = text ? Json::parse(*text, nullptr, false) : Json();
  try {
    out.version = manifest.at("tsunagi").get<std::string>();
    out.sweep = manifest.at("sweep").get<std::string>();
    out.axes = manifest.at("axes").get<std::vector<std::string>>();
  } catch (const Json::exception&) {
    throw ForeignFolder(fmt::format("{} is no folder of a sweep's results: {}", folder.string(),
                                    text ? "its sweep.json is not tsunagi's" : "it has no sweep.json"));
  }
}

void read_result(const fs::path& file, Kept& out) {
  try {
    Result result = from_text(own_text(file).value_or(""));
    if (result.ok)
      out.results.push_back(std::move(result));
    else
      ++out.failed;
  } catch (const std::exception& e) {
    out.damaged.push_back(fmt::format("{} is damaged: {}", file.string(), e.what()));
  }
}

/// Numbers and quantities of one kind by size, before texts.
bool is_before(const std::string& a, const std::string& b) {
  const auto quantity = [](const std::string& shown) {
    const auto number = config::quantity_of(shown);
    return number ? number : config::quantity_of(Json(shown).dump(-1, ' ', false, Json::error_handler_t::replace));
  };
  const auto qa = quantity(a);
  const auto qb = quantity(b);
  if (qa && qb && qa->kind == qb->kind) return qa->value < qb->value;
  if (qa.has_value() != qb.has_value()) return qa.has_value();
  return a < b;
}

bool comes_before(const Result& a, const Result& b) {
  for (std::size_t i = 0; i < a.coordinates.size() && i < b.coordinates.size(); ++i) {
    if (is_before(a.coordinates[i].value, b.coordinates[i].value)) return true;
    if (is_before(b.coordinates[i].value, a.coordinates[i].value)) return false;
  }
  return false;
}

}  // namespace

Kept read_kept(const fs::path& folder) {
  Kept out;
  read_manifest(folder, out);
  std::error_code error;
  expect_own_folder(folder / "points");
  if (fs::is_directory(folder / "points", error))
    for (const fs::path& part : sorted_entries(folder / "points")) {
      expect_own_folder(part);
      for (const fs::path& file : sorted_entries(part)) read_result(file, out);
    }
  std::stable_sort(out.results.begin(), out.results.end(), comes_before);
  return out;
}

}  // namespace tsunagi::sweep
