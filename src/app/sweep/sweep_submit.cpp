// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "app/shell/exit_codes.hpp"
#include "app/shell/output.hpp"
#include "app/sweep/sweep_jobs.hpp"
#include "app/sweep/sweep_orders.hpp"
#include "app/sweep/sweep_queue.hpp"
#include "report/whole_file.hpp"
#include "sweep/slurm/command.hpp"
#include "sweep/slurm/script.hpp"

namespace po = boost::program_options;

namespace tsunagi::app {
namespace {

namespace fs = std::filesystem;
namespace slurm = sweep::slurm;
using Words = std::vector<std::string>;

constexpr std::uint64_t most_shards = 10'000;  // their list has to fit into one word of a command line
constexpr std::size_t shards_by_default = 100;

std::uint64_t shards_of(const po::variables_map& values, std::size_t points) {
  if (values.count("shards") == 0) return std::min(points, shards_by_default);
  const auto shards = values["shards"].as<std::int64_t>();
  if (shards < 1 || shards > static_cast<std::int64_t>(most_shards))
    throw UsageError(fmt::format("--shards must be 1 to {}, not {}", most_shards, shards));
  return static_cast<std::uint64_t>(shards);
}

/// What can be told of the command line before anything is asked of Slurm.
void check_submission(const po::variables_map& values, const OpenedSweep& opened) {
  if (values.count("slurm") == 0) throw UsageError("submit to which scheduler? --slurm is known");
  const std::string fault = slurm::fault_of(behind_dashes(values));
  if (!fault.empty()) throw UsageError(fault);
  std::error_code error;
  const std::string file = fs::absolute(opened.file).string();
  if (!fs::is_regular_file(file, error) || file.rfind("/dev/", 0) == 0 || file.rfind("/proc/", 0) == 0)
    throw UsageError(fmt::format("tasks read the sweep again, which {} does not allow; name a file", opened.file));
  const std::string folder = fs::absolute(opened.folder).string();
  if (folder.find('\\') != std::string::npos)
    throw UsageError(
        fmt::format("Slurm puts no job's number into the name of a log file that holds a \"\\\", as the "
                    "folder of results does, {}; name another with --out",
                    folder));
}

/// How large a job array may be here. Where nothing is submitted, Slurm need not be there.
std::uint64_t max_array_size(bool is_dry) {
  constexpr std::uint64_t of_slurm = 1001;  // unless a site says otherwise
  const slurm::Answer answer = slurm::ask({"scontrol", "show", "config"});
  const auto size = slurm::parse_max_array_size(answer.text);
  if (answer.code == 0 && size) return *size;
  const std::string why = answer.code == 127 ? "scontrol is not on the PATH"
                          : answer.code == 0 ? "scontrol tells no MaxArraySize"
                                             : "scontrol says: " + last_line(answer.text);
  if (!is_dry)
    throw std::runtime_error(
        fmt::format("no Slurm to submit to: {}; --dry-run writes the scripts, `tsunagi sweep run --shard I/N` runs a "
                    "part of a sweep anywhere",
                    why));
  write_stderr(fmt::format("tsunagi: {}; arrays have up to {} tasks, as Slurm's default has it\n", why, of_slurm - 1));
  return of_slurm;
}

/// The options of `sweep run` that tasks get.
Words run_words(const po::variables_map& values) {
  Words out;
  if (values.count("limit-time") != 0)
    out.insert(out.end(), {"--limit-time", fmt::format("{}", values["limit-time"].as<double>())});
  for (const char* name : {"limit-memory", "limit-simulated-time"})
    if (values.count(name) != 0) out.insert(out.end(), {fmt::format("--{}", name), values[name].as<std::string>()});
  if (values.count("retry-failed") != 0) out.emplace_back("--retry-failed");
  return out;
}

/// What names the sweep on a command line.
Words sweep_words(const po::variables_map& values, const OpenedSweep& opened) {
  Words out{opened.file};
  if (values.count("out") != 0) out.insert(out.end(), {"--out", opened.folder.string()});
  if (values.count("set") != 0)
    for (const std::string& set : values["set"].as<Words>()) out.insert(out.end(), {"--set", set});
  return out;
}

/// Of jobs that have not ended.
std::vector<std::uint64_t> active_arrays(const std::vector<slurm::Job>& jobs, const std::vector<slurm::Task>& tasks) {
  std::vector<std::uint64_t> out;
  for (const slurm::Job& job : jobs)
    if (!job.collects &&
        std::any_of(tasks.begin(), tasks.end(), [&](const slurm::Task& task) { return task.job == job.id; }))
      out.push_back(job.id);
  return out;
}

void write_scripts(const slurm::Submission& submission) {
  report::write_whole_file(submission.folder / "shard.sh", slurm::shard_script(submission));
  report::write_whole_file(submission.folder / "collect.sh", slurm::collect_script(submission));
  report::write_whole_file(submission.folder / "submit.sh", slurm::submit_script(submission));
}

/// Tells that a submission ended before its end.
void tell_rest(const slurm::Submission& submission) {
  std::string ids;
  for (const slurm::Job& job : slurm::jobs_in(submission.folder, [](const std::string&) {}))
    ids += fmt::format(" {}", job.id);
  write_stderr(ids.empty()
                   ? "tsunagi: nothing was submitted\n"
                   : fmt::format("tsunagi: what was submitted goes on; `scancel{}` ends it, the same command submits "
                                 "the rest\n",
                                 ids));
}

/// Runs the script that submits, and tells how it went.
int submit_scripts(const slurm::Submission& submission) {
  const slurm::Ended ended = slurm::run_script(submission.folder / "submit.sh");
  if (ended.code == 0 && !ended.interrupted) {
    write_note(fmt::format("the collector will write {}\nhow far they are: tsunagi sweep status {}\n",
                           submission.table.string(), slurm::quoted(submission.sweep)));
    return exit_ok;
  }
  if (ended.code == 128 + SIGPIPE) return ended.code;
  tell_rest(submission);
  return ended.interrupted ? exit_interrupted : exit_failed;
}

slurm::Submission submission_of(const po::variables_map& values, const OpenedSweep& opened) {
  slurm::Submission out;
  out.program = fs::read_symlink("/proc/self/exe");
  out.here = fs::current_path();
  out.name = opened.sweep.name;
  out.sweep = sweep_words(values, opened);
  out.run = run_words(values);
  out.format = values.count("format") == 0 ? "csv" : chosen(values, "format", {"csv", "jsonl", "sqlite"});
  out.table = fs::absolute(opened.folder) / ("results." + out.format);
  out.shards = shards_of(values, opened.points.size);
  if (values.count("jobs") != 0) out.own.push_back(fmt::format("--cpus-per-task={}", jobs(values)));
  out.options = behind_dashes(values);
  return out;
}

/// Why there is nothing to submit.
std::string nothing_missing(const sweep::Missing& missing, std::size_t points) {
  if (missing.in_hand > 0)
    return fmt::format("nothing to submit: jobs have all points that are missing, {} of {}\n", missing.in_hand, points);
  return fmt::format("nothing to submit: all results are there, of {} points; tsunagi sweep collect prints them\n",
                     points);
}

}  // namespace

void add_submit_options(CommandLine& line) {
  line.flag("slurm", "submit: to Slurm; what stands behind -- is for sbatch");
  line.option("shards", po::value<std::int64_t>()->value_name("N"),
              "submit: parts, each of which is a task (default: one a point, at most 100)");
  line.flag("dry-run", "submit: write the scripts to DIR/slurm, submit nothing");
  line.behind_dashes("[-- SBATCH-OPTIONS]");
}

int submit_sweep(const po::variables_map& values, const OpenedSweep& opened) {
  check_submission(values, opened);
  sweep_orders(values);  // so that what tasks would refuse is refused here
  slurm::Submission submission = submission_of(values, opened);
  const bool is_dry = values.count("dry-run") != 0;
  const std::uint64_t array_size = max_array_size(is_dry);
  const sweep::Store store = opened.store();
  const std::vector<slurm::Job> before =
      slurm::jobs_of(store.folder(), [](const std::string& line) { write_stderr("tsunagi: " + line + "\n"); });
  const SweepQueue queue = ask_queue(before);
  if (!queue.unknown.empty() && !is_dry)
    throw std::runtime_error("which points jobs have already is not known: " + queue.unknown);
  const slurm::Hands hands(before, queue.tasks);
  const sweep::Missing missing = sweep::missing(
      opened.points, store, [&](const std::string& id) { return hands.of(id); }, submission.shards,
      values.count("retry-failed") != 0);
  if (missing.points == 0) {
    write_note(nothing_missing(missing, opened.points.size));
    return exit_ok;
  }
  submission.arrays = slurm::arrays_of(missing.shards, array_size);
  submission.before = active_arrays(before, queue.tasks);
  submission.folder = slurm::new_submission(fs::absolute(store.folder()));
  write_scripts(submission);
  write_note(fmt::format("{} of {} points to simulate, in {} of {} shards\n", missing.points, opened.points.size,
                         missing.shards.size(), submission.shards));
  if (!is_dry) return submit_scripts(submission);
  write_note("nothing was submitted; this would:\n");
  write_stdout(fmt::format("sh {}\n", slurm::quoted((submission.folder / "submit.sh").string())));
  return exit_ok;
}

}  // namespace tsunagi::app
