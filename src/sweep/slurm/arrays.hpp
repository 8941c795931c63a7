// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tsunagi::sweep::slurm {

/// One job array over shards of a sweep: its task i is shard `offset + i`.
struct Array {
  std::uint64_t offset = 0;
  std::string tasks;  ///< as `sbatch --array` takes them: "1-3,7"
  std::size_t count = 0;
};

/// Arrays over `shards` (ascending, from 1). A site allows task numbers below its MaxArraySize, which is at least 2;
/// they begin with 1, so that in the first array a task has the number of its shard.
std::vector<Array> arrays_of(const std::vector<std::uint64_t>& shards, std::uint64_t max_array_size);

/// "1-3,7" of 1, 2, 3, 7.
std::string ranges(const std::vector<std::uint64_t>& ascending);

}  // namespace tsunagi::sweep::slurm
