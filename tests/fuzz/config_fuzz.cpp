// SPDX-License-Identifier: Apache-2.0
// Documents by the thousand for the config reader: config_fuzz [CASES [SEED [FIRST]]]
//
// Legal ones from `describe`, and shipped configs with wrong values, wrong bytes, wrong files. Nothing may crash, take
// long or throw anything but a ConfigError with places. Exit code 1 for a finding, told with the command that repeats
// it. $TSUNAGI_FUZZ_JOBS processes share the cases (default: 1).
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "config/text/printable.hpp"
#include "fuzz/cases.hpp"
#include "support/sanitized.hpp"
#include "support/temporary_folder.hpp"

extern "C" int sc_main(int, char**) { return 0; }

namespace tsunagi::fuzz {
namespace {

/// CPU seconds that a case may take; the longest legal ones take a hundredth of it.
constexpr double most_seconds = test::sanitized ? 30 : 5;

struct Plan {
  std::uint64_t cases = 1000;
  std::uint64_t seed = 1;
  std::uint64_t first = 0;
  std::uint64_t jobs = 1;
};

/// What a worker tells its parent, who may outlive it.
struct Progress {
  std::uint64_t current = 0;
  std::uint64_t findings = 0;
  double longest = 0;
  Tally tally;
};

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void tell(const Plan& plan, std::uint64_t number, const std::string& what, const std::string& document) {
  std::fprintf(stderr, "case %llu: %s\n  to repeat: config_fuzz 1 %llu %llu\n%s\n",
               static_cast<unsigned long long>(number), config::printable_lines(what).c_str(),
               static_cast<unsigned long long>(plan.seed), static_cast<unsigned long long>(number),
               config::printable_lines(document.substr(0, plan.cases == 1 ? document.size() : 600)).c_str());
}

/// Every `jobs`-th case from `number` on.
void work(const Plan& plan, std::uint64_t number, Progress& progress) {
  const Corpus corpus = load_corpus(TSUNAGI_TEST_CONFIGS);
  const test::TemporaryFolder scratch;
  for (; number < plan.first + plan.cases; number += plan.jobs) {
    progress.current = number;
    std::string last;
    const double begin = cpu_seconds();
    try {
      run_case(plan.seed, number, corpus, scratch.path(), progress.tally, last);
      const double taken = cpu_seconds() - begin;
      progress.longest = std::max(progress.longest, taken);
      if (taken > most_seconds) throw Finding(fmt::format("took {:.1f} s", taken));
    } catch (const std::exception& e) {
      ++progress.findings;
      tell(plan, number, e.what(), last);
    }
  }
}

/// Waits for a worker; whether it found nothing.
bool is_good(const Plan& plan, pid_t worker, const Progress& progress) {
  int status = 0;
  ::waitpid(worker, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return progress.findings == 0;
  const std::string how = WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                                              : fmt::format("exit code {}", WEXITSTATUS(status));
  tell(plan, progress.current, "ended the process by " + how, "");
  return false;
}

int fuzz(const Plan& plan) {
  void* const shared =
      ::mmap(nullptr, sizeof(Progress) * plan.jobs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 2;
  auto* const progress = new (shared) Progress[plan.jobs];
  const auto begin = std::chrono::steady_clock::now();
  std::vector<pid_t> workers;
  for (std::uint64_t j = 0; j < plan.jobs; ++j) {
    workers.push_back(::fork());
    if (workers.back() == 0) {
      work(plan, plan.first + j, progress[j]);
      std::fflush(nullptr);
      ::_exit(0);
    }
  }
  bool good = true;
  Tally all;
  double longest = 0;
  for (std::uint64_t j = 0; j < plan.jobs; ++j) {
    good = is_good(plan, workers[j], progress[j]) && good;
    const Tally& t = progress[j].tally;
    all = {all.documents + t.documents, all.good + t.good,     all.refused + t.refused,
           all.legal + t.legal,         all.graphs + t.graphs, all.machines + t.machines};
    longest = std::max(longest, progress[j].longest);
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  fmt::print(
      "{} cases of seed {}: {} documents, {} good ({} drawn legal), {} refused, {} graphs, {} machines; {:.1f} s, "
      "{:.0f} cases/s, "
      "longest {:.2f} s; {}\n",
      plan.cases, plan.seed, all.documents, all.good, all.legal, all.refused, all.graphs, all.machines, taken.count(),
      static_cast<double>(plan.cases) / taken.count(), longest, good ? "nothing found" : "FINDINGS above");
  return good ? 0 : 1;
}

}  // namespace
}  // namespace tsunagi::fuzz

int main(int argc, char** argv) {
  tsunagi::fuzz::Plan plan;
  const auto number = [](const char* text) { return std::strtoull(text, nullptr, 10); };
  if (argc > 1) plan.cases = number(argv[1]);
  if (argc > 2) plan.seed = number(argv[2]);
  if (argc > 3) plan.first = number(argv[3]);
  if (const char* jobs = std::getenv("TSUNAGI_FUZZ_JOBS")) plan.jobs = std::max(1ULL, number(jobs));
  return tsunagi::fuzz::fuzz(plan);
}
