// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace tsunagi::test {

/// Slurm's commands as shell scripts in a folder: sbatch counts jobs from 1, keeps its words a line in `calls/JOB` and,
/// if there is a file `runs`, runs the tasks one after another; squeue prints the file `queue`, fails if there is
/// `broken`; scontrol tells of MaxArraySize what `max_array_size` holds. sbatch of the job in `fails_at` fails; that of
/// the one in `slow_at` takes two seconds, and makes a file `slow` as they begin.
class FakeSlurm {
 public:
  FakeSlurm() {
    command("sbatch", R"sh(
job=$(($(ls "$here/calls" | wc -l) + 1))
[ "$job" != "$(cat "$here/fails_at" 2>/dev/null)" ] || { echo 'sbatch: error: QOSMaxSubmitJobPerUserLimit' >&2; exit 1; }
[ "$job" != "$(cat "$here/slow_at" 2>/dev/null)" ] || { : >"$here/slow"; sleep 2; }
for word; do printf '%s\n' "$word"; done >"$here/calls/$job"
[ ! -e "$here/says" ] || { cat "$here/says"; exit 0; }
echo "$job"
[ -e "$here/runs" ] || exit 0
tasks=''
while [ "$#" -gt 0 ]; do
  case $1 in
    --array=*) tasks=$(echo "${1#*=}" | tr , '\n' | while IFS=- read -r a b; do seq "$a" "${b:-$a}"; done) ;;
    -*) ;;
    *) break ;;
  esac
  shift
done
for task in ${tasks:-none}; do
  SLURM_JOB_ID=$job SLURM_ARRAY_TASK_ID=$task sh "$@" >"$here/log.$job.$task" 2>&1
done
exit 0
)sh");
    command("squeue", R"sh(
printf '%s\n' "$@" >"$here/asked"
[ ! -e "$here/broken" ] || { cat "$here/broken" >&2; exit 1; }
cat "$here/queue" 2>/dev/null || true
)sh");
    command("scontrol", R"sh(
echo "MaxArraySize            = $(cat "$here/max_array_size")"
)sh");
    std::filesystem::create_directory(at("calls"));
    set("max_array_size", "1001");
  }

  std::filesystem::path at(const std::string& name) const { return folder_.path() / name; }
  void set(const std::string& name, const std::string& text) const { folder_.write(name, text); }
  void unset(const std::string& name) const { std::filesystem::remove(at(name)); }
  /// The words of the sbatch that made a job; "" if there was none.
  std::string call(int job) const { return content(at("calls/" + std::to_string(job))); }

  /// For a program that works in `folder`.
  Surroundings around(const std::filesystem::path& folder) const {
    const char* path = std::getenv("PATH");
    Surroundings out;
    out.folder = folder.string();
    out.environment = {{"PATH", at("bin").string() + ":" + (path == nullptr ? "/usr/bin:/bin" : path)}};
    return out;
  }

 private:
  void command(const std::string& name, const std::string& text) const {
    const auto file = folder_.write("bin/" + name, "#!/bin/sh\nhere='" + folder_.path().string() + "'" + text);
    ::chmod(file.c_str(), 0755);
  }

  TemporaryFolder folder_;
};

}  // namespace tsunagi::test
