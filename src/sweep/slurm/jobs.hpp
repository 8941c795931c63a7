// SPDX-License-Identifier: Apache-2.0
// What was submitted, beside the results: DIR/slurm/1, DIR/slurm/2, ... with scripts, logs and the ids of jobs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tsunagi::sweep::slurm {

/// A job of a submission: an array over shards, or the collector.
struct Job {
  std::uint64_t id = 0;
  bool collects = false;
  std::uint64_t offset = 0;  ///< of an array: its task i is shard `offset + i` of `shards`
  std::size_t tasks = 1;
  std::uint64_t shards = 0;
};

/// A line of the file `jobs`, as submit.sh writes it behind the job's id: "array OFFSET TASKS SHARDS", "collector".
std::string record_of(const Job& job);

/// The jobs in the text of such a file; `odd` is told of lines that are something else, by number.
std::vector<Job> parse_jobs(const std::string& text, const std::function<void(std::size_t line)>& odd);

/// The jobs of one submission, by its folder; `complaint` is told of lines that were damaged.
std::vector<Job> jobs_in(const std::filesystem::path& submission,
                         const std::function<void(const std::string&)>& complaint);

/// All jobs of a result folder in the order of their submission; `complaint` is told of lines that were damaged.
std::vector<Job> jobs_of(const std::filesystem::path& results,
                         const std::function<void(const std::string&)>& complaint);

/// Makes the folder of the next submission. Throws std::system_error.
std::filesystem::path new_submission(const std::filesystem::path& results);

}  // namespace tsunagi::sweep::slurm
