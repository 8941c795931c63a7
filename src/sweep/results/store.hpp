// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "sweep/plan/shard.hpp"
#include "sweep/results/own_files.hpp"
#include "sweep/results/result.hpp"

namespace tsunagi::sweep {

/// What a result folder belongs to.
struct Manifest {
  std::string version;            ///< of the program
  std::string sweep;              ///< name of the sweep, for people
  std::string hash;               ///< of the sweep's canonical content
  std::vector<std::string> axes;  ///< their names in order
  /// Whether the sweep has a point of that id.
  std::function<bool(const std::string& id)> has = [](const std::string&) { return false; };
};

/// The results of one sweep in a folder: `sweep.json` and a file a point, `points/ab/<id>.json`. A file is written
/// beside its place, synced and renamed, so it is there as a whole or not at all, whenever the program is killed.
/// Shards may write the same folder at the same time, also the same one twice: the first good result of a point stays.
class Store final : public Results {
 public:
  /// Makes the folder or takes the one that is there. A `sweep.json` that was lost is made again if all results there
  /// are of the sweep's points and at least one is sealed. Throws ForeignFolder if it is not empty and not of this
  /// sweep and version, or if its `points` is a link, std::system_error if it cannot be made or written.
  static Store open(std::filesystem::path folder, const Manifest& manifest);
  /// Takes a folder that is there, to read. Throws ForeignFolder also if there is none.
  static Store existing(std::filesystem::path folder, const Manifest& manifest);

  std::optional<Result> find(const std::string& id) const override;
  bool keep(const Result& result) override;

  /// Removes half-written files that killed programs of this computer left of a shard's points.
  void clean(const Shard& shard) const;

  const std::filesystem::path& folder() const { return folder_; }
  /// Results by which a lost `sweep.json` was made again; 0: it was there.
  std::size_t restored_by() const { return restored_by_; }

 private:
  explicit Store(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path file_of(const std::string& id) const;
  bool holds_good(const std::string& id) const;
  /// Results in the folder if they are a part of the sweep, and at least one is sealed; else 0.
  std::size_t results_of(const Manifest& manifest) const;
  void take(const Manifest& manifest);

  std::filesystem::path folder_;
  std::size_t restored_by_ = 0;
};

}  // namespace tsunagi::sweep
