// SPDX-License-Identifier: Apache-2.0
#include "sweep/store.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include "report/whole_file.hpp"

namespace tsunagi::sweep {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

fs::path manifest_file(const fs::path& folder) { return folder / "sweep.json"; }

std::optional<std::string> content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::string to_text(const Manifest& m) {
  return Json{{"tsunagi", m.version}, {"sweep", m.sweep}, {"hash", m.hash}, {"axes", m.axes}}.dump(1) + "\n";
}

/// Throws ForeignFolder unless the folder's manifest is this one.
void check_manifest(const fs::path& folder, const Manifest& mine) {
  const auto refuse = [&folder](const std::string& why) {
    throw ForeignFolder(fmt::format("{} {}; name another folder with --out", folder.string(), why));
  };
  const auto text = content(manifest_file(folder));
  if (!text) refuse("holds other files and no results of a sweep");
  const Json theirs = Json::parse(*text, nullptr, false);
  if (!theirs.is_object() || !theirs.contains("hash") || !theirs.contains("tsunagi"))
    refuse("has a sweep.json that is not tsunagi's");
  if (theirs["tsunagi"] != mine.version)
    refuse(fmt::format("holds results of tsunagi {}, this is {}", theirs["tsunagi"].dump(), mine.version));
  if (theirs["hash"] != mine.hash) refuse("holds the results of another sweep, or of this one before it was changed");
}

/// Half-written manifests do not count: another shard may be about to begin.
bool holds_nothing(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder))
    if (!report::is_part(entry.path())) return false;
  return true;
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw std::system_error(error, "cannot make the folder " + folder.string());
}

void remove_leftovers(const fs::path& folder, const Shard& shard) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::error_code gone;
    if (report::is_leftover(entry.path()) && shard.owns(entry.path().filename().string()))
      fs::remove(entry.path(), gone);
  }
}

}  // namespace

Store Store::open(fs::path folder, const Manifest& manifest) {
  if (fs::exists(folder) && !fs::is_directory(folder))
    throw ForeignFolder(fmt::format("{} is no folder; name another with --out", folder.string()));
  make_folder(folder);
  // In this order: a shard that begins at the same time writes its manifest first.
  if (!holds_nothing(folder))
    check_manifest(folder, manifest);
  else
    report::write_whole_file(manifest_file(folder), to_text(manifest));
  make_folder(folder / "points");
  return Store(std::move(folder));
}

Store Store::existing(fs::path folder, const Manifest& manifest) {
  if (!fs::is_directory(folder))
    throw ForeignFolder(fmt::format(
        "there is no folder {}: run the sweep first, or name the folder of its results with --out", folder.string()));
  check_manifest(folder, manifest);
  return Store(std::move(folder));
}

fs::path Store::file_of(const std::string& id) const { return folder_ / "points" / id.substr(0, 2) / (id + ".json"); }

std::optional<Result> Store::find(const std::string& id) const {
  const fs::path file = file_of(id);
  const auto text = content(file);
  if (!text) return std::nullopt;
  const auto damaged = [&file](const std::string& why) {
    return DamagedResult(fmt::format("{} is damaged: {}", file.string(), why));
  };
  try {
    Result result = from_text(*text);
    if (result.id != id) throw std::runtime_error("it is the result of point " + result.id);
    return result;
  } catch (const std::runtime_error& e) {
    throw damaged(e.what());
  }
}

void Store::keep(const Result& result) {
  const fs::path file = file_of(result.id);
  make_folder(file.parent_path());
  report::write_whole_file(file, sweep::to_text(result));
}

void Store::clean(const Shard& shard) const {
  remove_leftovers(folder_, {});
  for (const auto& folder : fs::directory_iterator(folder_ / "points"))
    if (folder.is_directory()) remove_leftovers(folder.path(), shard);
}

}  // namespace tsunagi::sweep
