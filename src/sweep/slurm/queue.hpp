// SPDX-License-Identifier: Apache-2.0
// What Slurm's commands say of jobs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sweep/collect/standing.hpp"
#include "sweep/slurm/jobs.hpp"

namespace tsunagi::sweep::slurm {

/// A task of a job array, or a job without one, that waits or runs.
struct Task {
  std::uint64_t job = 0;
  std::optional<std::uint64_t> index;
  Hand hand = Hand::nobody;  ///< what has ended is in nobody's hands
  std::string reason;        ///< why it waits, in Slurm's word; "" if it does not
};

/// The words of a squeue that tells of these jobs what `parse_queue` reads.
std::vector<std::string> queue_words(const std::vector<Job>& jobs);

/// Of squeue's lines those of tasks that have not ended; other lines (of warnings) are skipped.
std::vector<Task> parse_queue(const std::string& text);

/// Whether a squeue that failed says that it knows none of the jobs any more: they have ended.
bool knows_no_job(const std::string& text);

/// MaxArraySize in what `scontrol show config` prints; nothing: it is not told.
std::optional<std::uint64_t> parse_max_array_size(const std::string& text);

/// Which points the jobs of a sweep have.
class Hands {
 public:
  Hands(const std::vector<Job>& jobs, const std::vector<Task>& tasks);
  Hand of(const std::string& id) const;

 private:
  std::map<std::uint64_t, std::unordered_map<std::uint64_t, Hand>> shards_;  // by count, by number
};

/// A job and how many of its tasks wait, run, or have ended.
struct JobStanding {
  Job job;
  std::size_t queued = 0;
  std::size_t running = 0;
  std::vector<std::string> reasons;  ///< of those that wait, each once

  std::size_t ended() const { return job.tasks - std::min(job.tasks, queued + running); }
};

std::vector<JobStanding> job_standings(const std::vector<Job>& jobs, const std::vector<Task>& tasks);

}  // namespace tsunagi::sweep::slurm
