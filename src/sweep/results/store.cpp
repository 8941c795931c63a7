// SPDX-License-Identifier: Apache-2.0
#include "sweep/results/store.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "report/whole_file.hpp"
#include "sweep/results/own_files.hpp"

namespace tsunagi::sweep {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

fs::path manifest_file(const fs::path& folder) { return folder / "sweep.json"; }

std::string to_text(const Manifest& m) {
  const Json out{{"tsunagi", m.version}, {"sweep", m.sweep}, {"hash", m.hash}, {"axes", m.axes}};
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Throws ForeignFolder unless the folder's manifest is this one.
void check_manifest(const fs::path& folder, const Manifest& mine) {
  const auto refuse = [&folder](const std::string& why) {
    throw ForeignFolder(fmt::format("{} {}; name another folder with --out", folder.string(), why));
  };
  const auto text = own_text(manifest_file(folder));
  if (!text) refuse(fs::is_empty(folder) ? "is empty" : "holds other files and no results of a sweep");
  const Json theirs = Json::parse(*text, nullptr, false);
  const auto has_text = [&theirs](const char* key) { return theirs.contains(key) && theirs[key].is_string(); };
  if (!theirs.is_object() || !has_text("hash") || !has_text("tsunagi"))
    refuse("has a sweep.json that is not tsunagi's");
  if (theirs["tsunagi"] != mine.version)
    refuse(fmt::format("holds results of tsunagi {}, this is {}, which may measure something else",
                       theirs["tsunagi"].dump(), mine.version));
  if (theirs["hash"] != mine.hash) refuse("holds the results of another sweep, or of this one before it was changed");
}

/// What lies in a folder. Throws std::system_error that names it.
fs::directory_iterator entries(const fs::path& folder) {
  std::error_code error;
  fs::directory_iterator out(folder, error);
  if (error) throw std::system_error(error, "cannot read the folder " + folder.string());
  return out;
}

/// Half-written manifests do not count: another shard may be about to begin.
bool holds_nothing(const fs::path& folder) {
  for (const auto& entry : entries(folder))
    if (!report::is_part(entry.path())) return false;
  return true;
}

/// The folder that was asked for, which may be a link to one.
void make_result_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw std::system_error(error, "cannot make the folder " + folder.string());
}

/// A folder in it.
void make_folder(const fs::path& folder) {
  expect_own_folder(folder);
  make_result_folder(folder);
}

void remove_leftovers(const fs::path& folder, const Shard& shard) {
  for (const auto& entry : entries(folder)) {
    std::error_code gone;
    if (report::is_leftover(entry.path()) && shard.owns(entry.path().filename().string()))
      fs::remove(entry.path(), gone);
  }
}

}  // namespace

Store Store::open(fs::path folder, const Manifest& manifest) {
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error))
    throw ForeignFolder(fmt::format("{} is no folder; name another with --out", folder.string()));
  make_result_folder(folder);
  // In this order: a shard that begins at the same time writes its manifest first.
  const bool is_new = holds_nothing(folder);
  Store store(std::move(folder));
  if (!is_new) store.take(manifest);
  if (is_new || store.restored_by_ > 0) report::write_whole_file(manifest_file(store.folder_), to_text(manifest));
  make_folder(store.folder_ / "points");
  return store;
}

Store Store::existing(fs::path folder, const Manifest& manifest) {
  std::error_code error;
  if (!fs::is_directory(folder, error) && error && error != std::errc::no_such_file_or_directory)
    throw std::system_error(error, "cannot read the folder " + folder.string());
  if (!fs::is_directory(folder, error))
    throw ForeignFolder(fmt::format(
        "there is no folder {}: run the sweep first, or name the folder of its results with --out", folder.string()));
  Store store(std::move(folder));
  store.take(manifest);
  expect_own_folder(store.folder_ / "points");
  return store;
}

void Store::take(const Manifest& manifest) {
  std::error_code error;
  if (!fs::exists(manifest_file(folder_), error)) restored_by_ = results_of(manifest);
  if (restored_by_ == 0) check_manifest(folder_, manifest);
}

std::size_t Store::results_of(const Manifest& manifest) const {
  std::error_code error;
  expect_own_folder(folder_ / "points");
  if (!fs::is_directory(folder_ / "points", error)) return 0;
  std::size_t count = 0;
  bool sealed = false;
  for (const auto& part : entries(folder_ / "points")) {
    if (part.symlink_status(error).type() != fs::file_type::directory) return 0;
    for (const auto& file : entries(part.path())) {
      if (report::is_part(file.path())) continue;
      const std::string id = file.path().stem().string();
      if (file.path() != file_of(id) || !manifest.has(id)) return 0;
      ++count;
      try {
        sealed = sealed || find(id);
      } catch (const DamagedResult&) {  // it is made again, as elsewhere
      }
    }
  }
  return sealed ? count : 0;
}

fs::path Store::file_of(const std::string& id) const { return folder_ / "points" / id.substr(0, 2) / (id + ".json"); }

std::optional<Result> Store::find(const std::string& id) const {
  const fs::path file = file_of(id);
  std::optional<std::string> text;
  try {
    expect_own_folder(file.parent_path());
    text = own_text(file);
  } catch (const std::runtime_error& e) {
    throw BlockedResult(e.what());
  }
  if (!text) return std::nullopt;
  const auto damaged = [&file](const std::string& why) {
    return DamagedResult(fmt::format("{} is damaged: {}", file.string(), why));
  };
  try {
    Result result = from_text(*text);
    if (result.id != id) throw std::runtime_error("it is the result of point " + result.id);
    return result;
  } catch (const std::exception& e) {
    throw damaged(e.what());
  }
}

bool Store::holds_good(const std::string& id) const {
  try {
    const std::optional<Result> known = find(id);
    return known && known->ok;
  } catch (const DamagedResult&) {
    return false;
  }
}

bool Store::keep(const Result& result) {
  const fs::path file = file_of(result.id);
  const std::string text = sweep::to_text(result);
  make_folder(file.parent_path());
  if (report::write_new_file(file, text)) return true;
  if (holds_good(result.id)) return false;
  report::write_whole_file(file, text);
  return true;
}

void Store::clean(const Shard& shard) const {
  remove_leftovers(folder_, {});
  for (const auto& folder : entries(folder_ / "points")) {
    std::error_code gone;
    if (folder.symlink_status(gone).type() != fs::file_type::directory) continue;
    try {
      remove_leftovers(folder.path(), shard);
    } catch (const std::system_error&) {  // told when a point in it is looked for
    }
  }
}

}  // namespace tsunagi::sweep
