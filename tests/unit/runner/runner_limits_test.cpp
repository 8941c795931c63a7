// SPDX-License-Identifier: Apache-2.0
// Many runs at a time where the system gives few descriptors or processes.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <system_error>
#include <thread>

#include "runner/interrupt_watch.hpp"
#include "runner/runner.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "unit/runner/runner_fixture.hpp"

namespace runner_limits_test {

using namespace tsunagi;
using runner::Outcome;
using runner::Status;
using test::fake_run;

namespace {

/// One that is "slow" takes a while, one that is to "learn" has to be done again twice.
runner::Counts fake_simulate(const RunConfig& run, const std::string& findings, report::Recorder& /*recorder*/) {
  const std::string& what = test::what_of(run);
  if (what.rfind("slow", 0) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(30));
  if (what == "learn" && findings != "aa") return {11, 22, 33_us, findings + "a"};
  return {11, 22, 33_us};
}

/// How many of sixty runs end well, sixty at a time, in a process of its own that `prepare` limits.
template <class Prepare>
int good_of_sixty(Prepare prepare) {
  const int child = ::fork();
  if (child == 0) {
    if (!prepare()) ::_exit(99);
    std::vector<RunConfig> runs;
    for (int i = 0; i < 60; ++i) runs.push_back(fake_run(i % 10 == 3 ? "learn" : "slow " + std::to_string(i)));
    runner::Options options;
    options.jobs = 60;
    int good = 0;
    try {
      for (const Outcome& out : runner::run_many(runs, fake_simulate, options))
        good += out.status == Status::ok ? 1 : 0;
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s\n", e.what());
    }
    ::_exit(good);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("more jobs than the system gives descriptors for take turns") {
  if (test::sanitized) return;  // to look at an exception's type takes two descriptors there
  CHECK(good_of_sixty([] {
          const rlimit few{24, 24};
          return ::setrlimit(RLIMIT_NOFILE, &few) == 0;
        }) == 60);
}

TEST_CASE("more jobs than the system gives processes for take turns") {
  if (::geteuid() != 0) {
    WARN("only root can become somebody who has no other processes");
    return;
  }
  const int good = good_of_sixty([] {
    constexpr uid_t nobody = 65431;
    const rlimit few{5, 5};
    return ::setrlimit(RLIMIT_NPROC, &few) == 0 && ::setuid(nobody) == 0;
  });
  if (good == 99)
    WARN("nobody else can be become here");
  else
    CHECK(good == 60);
}

TEST_CASE("no descriptor at all is an error that says so") {
  if (test::sanitized) return;
  const int child = ::fork();
  if (child == 0) {
    const runner::InterruptWatch watch;  // a stream has one
    const rlimit none{static_cast<rlim_t>(watch.fd()) + 2, static_cast<rlim_t>(watch.fd()) + 2};
    ::setrlimit(RLIMIT_NOFILE, &none);
    try {
      runner::run_one(fake_run("a"), fake_simulate);
    } catch (const std::system_error& e) {
      ::_exit(e.code() == std::errc::too_many_files_open ? 9 : 8);
    }
    ::_exit(7);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 9);
}

}  // namespace runner_limits_test
