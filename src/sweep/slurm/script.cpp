// SPDX-License-Identifier: Apache-2.0
#include "sweep/slurm/script.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sweep/slurm/jobs.hpp"

namespace tsunagi::sweep::slurm {
namespace {

const std::string head = "#!/bin/sh\n# Written by `tsunagi sweep submit`: ";

std::string words_of(const Submission& s, const std::string& action) {
  std::vector<std::string> words{s.program.string(), "sweep", action};
  words.insert(words.end(), s.sweep.begin(), s.sweep.end());
  if (action == "run") words.insert(words.end(), s.run.begin(), s.run.end());
  return quoted(words);
}

/// A folder in a pattern of Slurm's file names.
std::string in_pattern(const std::filesystem::path& folder) {
  std::string out;
  for (const char c : folder.string()) out += c == '%' ? "%%" : std::string(1, c);
  return out;
}

/// A call of sbatch that prints the id of a job; the words of `last` count, whatever the user's say.
std::string sbatch(const Submission& s, std::vector<std::string> own, const std::string& log,
                   const std::vector<std::string>& last) {
  std::vector<std::string> words{"sbatch",    "--parsable",         "--job-name=" + s.name,
                                 "--requeue", "--open-mode=append", "--output=" + in_pattern(s.folder) + "/" + log};
  words.insert(words.end(), own.begin(), own.end());
  words.insert(words.end(), s.options.begin(), s.options.end());
  words.insert(words.end(), last.begin(), last.end());
  return quoted(words);
}

}  // namespace

std::string quoted(const std::string& word) {
  const auto is_plain = [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string("@%_+=:,./-").find(static_cast<char>(c)) != std::string::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string quoted(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + quoted(word);
  return out;
}

std::string shard_script(const Submission& s) {
  return head + fmt::format(R"(one task of a job array, which runs shard $1 + $SLURM_ARRAY_TASK_ID of {0}.
cd {1} || exit 1
exec {2} --jobs "${{SLURM_CPUS_PER_TASK:-1}}" --shard "$(($1 + SLURM_ARRAY_TASK_ID))/{0}"
)",
                            s.shards, quoted(s.here.string()), words_of(s, "run"));
}

std::string collect_script(const Submission& s) {
  const std::string begin = head + fmt::format("collects what the tasks left, however they ended.\ncd {} || exit 1\n",
                                               quoted(s.here.string()));
  const std::string collect = fmt::format("{} --format {}", words_of(s, "collect"), s.format);
  if (s.format == "sqlite") return begin + "exec " + collect + "\n";
  // The last thing told is the digest: then the table is whole.
  return begin + fmt::format(R"(table={}
part=$table.part.$SLURM_JOB_ID
{} >"$part" 2>"$part.log"
code=$?
cat "$part.log" >&2
if tail -n 1 "$part.log" | grep -q '^digest '; then mv -f "$part" "$table"; fi
rm -f "$part" "$part.log"
exit "$code"
)",
                             quoted(s.table.string()), collect);
}

std::string submit_script(const Submission& s) {
  std::string before;
  for (const std::uint64_t job : s.before) before += fmt::format(":{}", job);
  std::string out = head + fmt::format(R"(submits shards of a sweep and their collector.
set -eu
folder={}
after={}
stop=
trap 'stop=1' INT TERM HUP
# Keeps a job's id for `tsunagi sweep status` and `submit`, and says what it is.
submitted() {{
  job=${{job%%;*}}
  case $job in '' | *[!0-9]*) echo "sbatch tells no job's id, but: $job" >&2; exit 1 ;; esac
  after=$after:$job
  echo "$job $1" >>"$folder/jobs" || {{ echo "job $job was submitted, but cannot be kept in $folder/jobs" >&2; exit 1; }}
  echo "$2"
  [ -z "$stop" ] || exit 130
}}
)",
                                       quoted(s.folder.string()), before);
  for (const Array& array : s.arrays) {
    out += fmt::format("job=$({} \"$folder/shard.sh\" {})\nsubmitted {} \"submitted array $job: {} of {} shards\"\n",
                       sbatch(s, s.own, "%A_%a.log", {"--array=" + array.tasks}), array.offset,
                       quoted(record_of({1, false, array.offset, array.count, s.shards})), array.count, s.shards);
  }
  // The user's options are for tasks; of the collector they shall say where it runs, not how large it is.
  return out + fmt::format(
                   "job=$({} --dependency=\"afterany$after\" \"$folder/collect.sh\")\n"
                   "submitted {} \"submitted collector $job\"\n",
                   sbatch(s, {}, "collect-%j.log", {"--cpus-per-task=1"}), record_of({1, true}));
}

std::string fault_of(const std::vector<std::string>& words) {
  struct Refused {
    std::string name;
    char letter;
    std::string why;
  };
  static const std::vector<Refused> all{
      {"--array", 'a', "the tasks are the shards; --shards says how many"},
      {"--wait", 'W', "`tsunagi sweep status` tells how far they are, and the collector writes what came of it"},
      {"--test-only", '\0', "--dry-run writes the scripts and submits nothing"},
      {"--wrap", '\0', "the script is the sweep's"},
      {"--clusters", 'M', "`tsunagi sweep status` asks this cluster for the jobs"}};
  if (!words.empty() && words.front().rfind('-', 0) != 0)
    return fmt::format("behind -- stand options for sbatch; \"{}\" is none", words.front());
  for (const std::string& word : words) {
    for (const Refused& r : all) {
      const bool is_long = word == r.name || word.rfind(r.name + "=", 0) == 0;
      const bool is_short = r.letter != '\0' && word.size() >= 2 && word[0] == '-' && word[1] == r.letter;
      if (is_long || is_short) return fmt::format("sbatch's {} is not for sweeps: {}", r.name, r.why);
    }
  }
  return "";
}

}  // namespace tsunagi::sweep::slurm
