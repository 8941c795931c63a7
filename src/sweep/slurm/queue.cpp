// SPDX-License-Identifier: Apache-2.0
#include "sweep/slurm/queue.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include "sweep/slurm/number.hpp"

namespace tsunagi::sweep::slurm {
namespace {

/// What Slurm's long name of a state means for a shard's points.
Hand hand_of(const std::string& state) {
  static const std::array waits{"PENDING",      "REQUEUED",      "REQUEUE_FED", "REQUEUE_HOLD",
                                "SPECIAL_EXIT", "RESV_DEL_HOLD", "REVOKED"};
  static const std::array runs{"RUNNING",   "COMPLETING", "CONFIGURING", "RESIZING",
                               "SIGNALING", "STAGE_OUT",  "STOPPED",     "SUSPENDED"};
  const auto is_in = [&state](const auto& states) {
    return std::find(states.begin(), states.end(), state) != states.end();
  };
  return is_in(waits) ? Hand::queued : is_in(runs) ? Hand::running : Hand::nobody;
}

/// Fields between "|"; the last one has the rest.
std::vector<std::string> fields_of(const std::string& line, std::size_t count) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  while (out.size() + 1 < count) {
    const auto end = line.find('|', begin);
    if (end == std::string::npos) return {};
    out.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  out.push_back(line.substr(begin));
  return out;
}

}  // namespace

std::vector<std::string> queue_words(const std::vector<Job>& jobs) {
  std::string ids;
  for (const Job& job : jobs) ids += (ids.empty() ? "" : ",") + std::to_string(job.id);
  // The job of the array, the number of the task, its state and the reason; a line a task.
  return {"squeue", "--noheader", "--array", "--jobs=" + ids, "--format=%F|%K|%T|%r"};
}

std::vector<Task> parse_queue(const std::string& text) {
  std::vector<Task> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> fields = fields_of(line, 4);
    const auto job = fields.empty() ? std::nullopt : number_in(fields[0]);
    if (!job) continue;
    const Hand hand = hand_of(fields[2]);
    if (hand == Hand::nobody) continue;
    const bool says_why = hand == Hand::queued && fields[3] != "None";
    out.push_back({*job, number_in(fields[1]), hand, says_why ? fields[3] : ""});
  }
  return out;
}

bool knows_no_job(const std::string& text) { return text.find("Invalid job id") != std::string::npos; }

std::optional<std::uint64_t> parse_max_array_size(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, equals, value;
    words >> name >> equals >> value;
    if (name == "MaxArraySize" && equals == "=") return number_in(value);
  }
  return std::nullopt;
}

Hands::Hands(const std::vector<Job>& jobs, const std::vector<Task>& tasks) {
  for (const Job& job : jobs) {
    for (const Task& task : tasks) {
      if (job.collects || task.job != job.id || !task.index) continue;
      Hand& hand = shards_[job.shards][job.offset + *task.index];
      hand = std::max(hand, task.hand);  // two jobs may have it
    }
  }
}

Hand Hands::of(const std::string& id) const {
  Hand out = Hand::nobody;
  for (const auto& [count, numbers] : shards_) {
    const auto found = numbers.find(Shard::number_of(id, count));
    if (found != numbers.end()) out = std::max(out, found->second);
  }
  return out;
}

std::vector<JobStanding> job_standings(const std::vector<Job>& jobs, const std::vector<Task>& tasks) {
  std::vector<JobStanding> out;
  for (const Job& job : jobs) {
    JobStanding& standing = out.emplace_back();
    standing.job = job;
    for (const Task& task : tasks) {
      if (task.job != job.id) continue;
      ++(task.hand == Hand::running ? standing.running : standing.queued);
      const bool is_new =
          std::find(standing.reasons.begin(), standing.reasons.end(), task.reason) == standing.reasons.end();
      if (!task.reason.empty() && is_new) standing.reasons.push_back(task.reason);
    }
  }
  return out;
}

}  // namespace tsunagi::sweep::slurm
