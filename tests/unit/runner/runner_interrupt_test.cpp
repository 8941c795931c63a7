// SPDX-License-Identifier: Apache-2.0
// What runs hand over that are asked to stop.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>

#include "runner/interrupt_watch.hpp"
#include "runner/oversight.hpp"
#include "runner/runner.hpp"
#include "support/catch.hpp"
#include "unit/runner/runner_fixture.hpp"

namespace runner_interrupt_test {

using namespace tsunagi;
using runner::Outcome;
using runner::Status;
using test::fake_run;

namespace {

runner::Counts interrupted_simulate(const RunConfig& run, const std::string& findings, report::Recorder& recorder) {
  const std::string& what = test::what_of(run);
  if (what == "never started") throw std::runtime_error("it was started");
  recorder.row().bytes("size", 8_B);
  if (what == "gets the signal itself")  // as from a terminal, or when somebody kills it alone
    std::raise(SIGINT);
  else
    ::kill(::getppid(), SIGINT);
  while (!runner::overseen()->stop) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  runner::Counts counts{11, 22, 33_us};
  if (what == "learns too late") {
    counts.findings = "a";
    return counts;
  }
  counts.stopped = true;
  if (findings == "wrong") counts.findings = "more";
  return counts;
}

}  // namespace

TEST_CASE("what an interrupted run hands over in time comes back, incomplete") {
  runner::Options patient;
  patient.patience_s = 30;
  const Outcome out = runner::run_one(fake_run("stops when asked"), interrupted_simulate, patient);
  CHECK(out.status == Status::interrupted);
  CHECK(out.incomplete);
  CHECK(out.rows.rows.size() == 1);
  CHECK(out.cost.simulated == 33_us);
}

TEST_CASE("an interrupted attempt that went wrong hands nothing over") {
  runner::Options patient;
  patient.patience_s = 30;
  const auto wrong = [](const RunConfig& run, const std::string&, report::Recorder& recorder) {
    return interrupted_simulate(run, "wrong", recorder);
  };
  const Outcome out = runner::run_one(fake_run("stops when asked"), wrong, patient);
  CHECK(out.status == Status::interrupted);
  CHECK(out.rows.rows.empty());
  CHECK(out.findings.empty());
}

TEST_CASE("an attempt that ends with findings after Ctrl-C is not followed by another") {
  runner::Options patient;
  patient.patience_s = 30;
  const Outcome out = runner::run_one(fake_run("learns too late"), interrupted_simulate, patient);
  CHECK(out.status == Status::interrupted);
  CHECK(out.findings.empty());
}

TEST_CASE("a signal that only a child gets ends all runs, and what it has comes back") {
  std::size_t most = 0;
  runner::Options options;
  options.progress = [&most](std::size_t done, std::size_t) { most = std::max(most, done); };
  const auto out =
      runner::run_many({fake_run("gets the signal itself"), fake_run("never started")}, interrupted_simulate, options);
  CHECK(out[0].status == Status::interrupted);
  CHECK(out[0].incomplete);
  CHECK(out[0].rows.rows.size() == 1);
  CHECK(out[1].status == Status::interrupted);
  CHECK(most == 0);  // what was interrupted is not done
}

TEST_CASE("who watches for signals around runs finds those that came when all had ended") {
  runner::InterruptWatch around;
  runner::Options options;
  options.progress = [](std::size_t done, std::size_t all) {
    if (done == all) std::raise(SIGINT);
  };
  const auto ends = [](const RunConfig&, const std::string&, report::Recorder&) { return runner::Counts{}; };
  const auto out = runner::run_many({fake_run("one"), fake_run("other")}, ends, options);
  CHECK(out[0].status == Status::ok);
  CHECK(out[1].status == Status::ok);
  CHECK(around.take());
}

TEST_CASE("runs hear signals though somebody watches for them around the runs") {
  runner::InterruptWatch around;
  runner::Options patient;
  patient.patience_s = 30;
  const Outcome out = runner::run_one(fake_run("gets the signal itself"), interrupted_simulate, patient);
  CHECK(out.status == Status::interrupted);
  CHECK(out.incomplete);
}

}  // namespace runner_interrupt_test
