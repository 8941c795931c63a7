// SPDX-License-Identifier: Apache-2.0
// The shell scripts of a submission, as text: what a task runs, what the collector runs, and what submits both.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sweep/slurm/arrays.hpp"

namespace tsunagi::sweep::slurm {

/// What is submitted.
struct Submission {
  std::filesystem::path program;   ///< of ours, absolute
  std::filesystem::path here;      ///< working folder in which the sweep was named, absolute
  std::filesystem::path folder;    ///< of the scripts and logs, absolute
  std::string name;                ///< of the sweep and of the jobs
  std::vector<std::string> sweep;  ///< words that name it: file, --out, --set
  std::vector<std::string> run;    ///< further words for `sweep run`
  std::string format;              ///< of what the collector writes
  std::filesystem::path table;     ///< the file that it writes, absolute
  std::uint64_t shards = 1;
  std::vector<Array> arrays;
  std::vector<std::uint64_t> before;  ///< jobs of earlier submissions that the collector waits for, too
  std::vector<std::string> own;       ///< options for sbatch that the user's may replace
  std::vector<std::string> options;   ///< the user's options for sbatch
};

/// A task: `shard.sh OFFSET` runs shard OFFSET + $SLURM_ARRAY_TASK_ID.
std::string shard_script(const Submission& submission);
/// The collector: writes the table as a whole, also of a sweep in which points failed or are missing.
std::string collect_script(const Submission& submission);
/// Submits the arrays, then the collector, which begins when all have ended, however they did. Writes each job's id to
/// the file `jobs` before it tells it and goes on. SIGTERM ends it between two jobs.
std::string submit_script(const Submission& submission);

/// A word as a POSIX shell takes it for that word.
std::string quoted(const std::string& word);
std::string quoted(const std::vector<std::string>& words);

/// Why words cannot be handed to sbatch for the jobs of a sweep; "" if they can, as far as we know.
std::string fault_of(const std::vector<std::string>& words);

}  // namespace tsunagi::sweep::slurm
