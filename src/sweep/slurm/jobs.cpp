// SPDX-License-Identifier: Apache-2.0
#include "sweep/slurm/jobs.hpp"

#include <fmt/format.h>

#include <set>
#include <sstream>
#include <system_error>

#include "sweep/results/own_files.hpp"
#include "sweep/slurm/number.hpp"

namespace tsunagi::sweep::slurm {
namespace {

namespace fs = std::filesystem;

/// Numbers of the submissions in a result folder.
std::set<std::uint64_t> submissions(const fs::path& results) {
  std::set<std::uint64_t> out;
  std::error_code error;
  expect_own_folder(results / "slurm");
  for (const auto& entry : fs::directory_iterator(results / "slurm", error))
    if (const auto number = number_in(entry.path().filename().string())) out.insert(*number);
  if (error && error != std::errc::no_such_file_or_directory)
    throw std::system_error(error, "cannot read the folder " + (results / "slurm").string());
  return out;
}

}  // namespace

std::string record_of(const Job& job) {
  return job.collects ? "collector" : fmt::format("array {} {} {}", job.offset, job.tasks, job.shards);
}

std::vector<Job> parse_jobs(const std::string& text, const std::function<void(std::size_t line)>& odd) {
  std::vector<Job> out;
  std::istringstream lines(text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    Job job;
    std::istringstream words(line);
    std::string id, kind;
    words >> id >> kind;
    job.id = number_in(id).value_or(0);
    job.collects = kind == "collector";
    if (kind == "array") words >> job.offset >> job.tasks >> job.shards;
    if (job.id > 0 && (job.collects || job.shards > 0) && fmt::format("{} {}", job.id, record_of(job)) == line)
      out.push_back(job);
    else
      odd(number);
  }
  return out;
}

std::vector<Job> jobs_in(const fs::path& submission, const std::function<void(const std::string&)>& complaint) {
  const fs::path file = submission / "jobs";
  const std::string text = own_text(file).value_or("");
  return parse_jobs(text, [&](std::size_t line) { complaint(fmt::format("{}:{}: is no job", file.string(), line)); });
}

std::vector<Job> jobs_of(const fs::path& results, const std::function<void(const std::string&)>& complaint) {
  std::vector<Job> out;
  for (const std::uint64_t number : submissions(results))
    for (const Job& job : jobs_in(results / "slurm" / std::to_string(number), complaint)) out.push_back(job);
  return out;
}

fs::path new_submission(const fs::path& results) {
  const std::set<std::uint64_t> known = submissions(results);
  fs::create_directories(results / "slurm");
  for (std::uint64_t number = known.empty() ? 1 : *known.rbegin() + 1;; ++number) {
    const fs::path folder = results / "slurm" / std::to_string(number);
    if (fs::create_directory(folder)) return folder;  // else somebody else submits at the same time
  }
}

}  // namespace tsunagi::sweep::slurm
