// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <thread>

#include "config/error_at.hpp"
#include "runner/interrupt_watch.hpp"
#include "runner/oversight.hpp"
#include "runner/runner.hpp"
#include "support/catch.hpp"
#include "unit/runner/runner_fixture.hpp"

namespace runner_run_test {

using namespace tsunagi;
using runner::Outcome;
using runner::Status;
using test::fake_run;

namespace {

runner::Counts fake_simulate(const RunConfig& run, const std::string& findings, report::Recorder& recorder) {
  const std::string& what = test::what_of(run);
  if (what == "crash") {
    std::signal(SIGSEGV, SIG_DFL);  // not the test framework's
    std::raise(SIGSEGV);
  }
  if (what == "exit") ::_exit(7);
  if (what == "throw") throw std::runtime_error("rank 0 waits for rank 1");
  if (what == "throw a number") throw 42;
  if (what == "bad config") throw config::error_at("/scenario/size", "beyond the window");
  if (what == "no memory") throw std::bad_alloc();
  const std::vector<std::pair<std::string, int>> signals{{"Ctrl-C", SIGINT}, {"kill", SIGTERM}, {"hang up", SIGHUP}};
  for (const auto& [name, signal] : signals)
    if (what == name) ::kill(::getppid(), signal);
  const bool is_long = what == "loop" || what == "Ctrl-C" || what == "kill" || what == "hang up";
  if (is_long) std::this_thread::sleep_for(std::chrono::seconds(60));
  if (what == "throw late") {
    recorder.row().bytes("size", 8_B);
    throw std::runtime_error("rank 0 waits for rank 1");
  }
  if (what == "watched") {
    runner::overseen()->simulated_fs = Time(7_us).fs();
    recorder.row().bytes("size", 8_B);
    recorder.row().bytes("size", 16_B);
    recorder.iteration(2, 5);
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    return {};
  }
  if (what.rfind("slow", 0) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(30));
  if (what == "large")
    for (int i = 0; i < 20000; ++i) recorder.row().count("i", i).text("text", "some text that fills the pipe");
  if (what == "problem") {
    recorder.row().text("beats", "a bound");
    return {11, 22, 33_us, {}, {}, {"it beats a bound"}};
  }
  if (what == "learn" && findings != "aa") return {11, 22, 33_us, findings + "a"};
  recorder.rate("bandwidth", "size", "latency");
  recorder.row().bytes("size", 8_B).time("latency", 912_ns).count("pid", ::getpid()).text("what", what);
  return {11, 22, 33_us};
}

Outcome outcome_of(const std::string& what) { return runner::run_one(fake_run(what), fake_simulate); }

std::int64_t pid_of(const Outcome& outcome) { return std::get<std::int64_t>(*outcome.rows.rows.front().find("pid")); }

}  // namespace

TEST_CASE("rows, derived columns, counts and cost come back from another process") {
  const Outcome out = outcome_of("fine");
  REQUIRE(out.status == Status::ok);
  CHECK(out.messages.empty());
  REQUIRE(out.rows.rows.size() == 1);
  CHECK(pid_of(out) != ::getpid());
  CHECK(std::get<Time>(*out.rows.rows[0].find("latency")) == 912_ns);
  CHECK(std::get<std::string>(*out.rows.rows[0].find("what")) == "fine");
  REQUIRE(out.rows.rates.size() == 1);
  CHECK(out.rows.rates[0].bytes == "size");
  CHECK(out.cost.wakeups == 11);
  CHECK(out.cost.packet_hops == 22);
  CHECK(out.cost.simulated == 33_us);
  CHECK(out.cost.wall_s > 0);
  CHECK(out.cost.peak_rss_bytes > 0);
}

TEST_CASE("a result larger than a pipe comes back whole") {
  const Outcome out = outcome_of("large");
  REQUIRE(out.status == Status::ok);
  CHECK(out.rows.rows.size() == 20001);
}

TEST_CASE("a crash, an exit and an exception are failed outcomes that say why") {
  const std::vector<std::pair<std::string, std::string>> expected{{"crash", "signal 11"},
                                                                  {"exit", "code 7"},
                                                                  {"throw", "rank 0 waits for rank 1"},
                                                                  {"throw a number", "no std::exception"},
                                                                  {"no memory", "out of memory"}};
  for (const auto& [what, why] : expected) {
    const Outcome out = outcome_of(what);
    CHECK(out.status == Status::failed);
    CHECK(out.rows.rows.empty());
    REQUIRE(out.messages.size() == 1);
    CHECK_THAT(out.messages.front(), Catch::Contains(why));
  }
}

TEST_CASE("rows in which something is wrong come back with the failure") {
  const Outcome out = outcome_of("problem");
  CHECK(out.status == Status::failed);
  CHECK(out.messages == std::vector<std::string>{"it beats a bound"});
  CHECK(out.rows.rows.size() == 1);
}

TEST_CASE("a config found wrong by the simulation keeps its pointer") {
  const Outcome out = outcome_of("bad config");
  CHECK(out.status == Status::config_error);
  REQUIRE(out.config_errors.size() == 1);
  CHECK(out.config_errors[0].pointer == "/scenario/size");
  CHECK(out.config_errors[0].text == "beyond the window");
  CHECK_FALSE(out.config_errors[0].place.file);
}

// Only what never ends by itself stands under a limit of wall time: anything else might pass it on a loaded machine.
TEST_CASE("a run that takes too long is stopped") {
  runner::Options options;
  options.limit_wall_s = 0.2;
  const Outcome out = runner::run_one(fake_run("loop"), fake_simulate, options);
  CHECK(out.status == Status::failed);
  CHECK(out.messages == std::vector<std::string>{"the simulation took longer than 0.2 s and was stopped"});
}

TEST_CASE("equal configs run once and results keep their order") {
  RunConfig renamed = fake_run("a");
  renamed.title = "the same under another title";
  std::size_t runs = 0;
  runner::Options options;
  options.jobs = 3;
  options.progress = [&runs](std::size_t, std::size_t total) { runs = total; };
  const auto out = runner::run_many({fake_run("a"), fake_run("b"), renamed, fake_run("throw"), fake_run("b")},
                                    fake_simulate, options);
  REQUIRE(out.size() == 5);
  CHECK(runs == 3);
  CHECK(pid_of(out[0]) == pid_of(out[2]));
  CHECK(pid_of(out[1]) == pid_of(out[4]));
  CHECK(pid_of(out[0]) != pid_of(out[1]));
  CHECK(std::get<std::string>(*out[1].rows.rows[0].find("what")) == "b");
  CHECK(out[3].status == Status::failed);
}

TEST_CASE("no runs give no outcomes, and no jobs are refused") {
  CHECK(runner::run_many({}, fake_simulate).empty());
  runner::Options none;
  none.jobs = 0;
  CHECK_THROWS_AS(runner::run_many({fake_run("a")}, fake_simulate, none), std::invalid_argument);
}

TEST_CASE("Ctrl-C, SIGTERM and SIGHUP end the children and spare the caller") {
  for (const char* signal : {"Ctrl-C", "kill", "hang up"}) {
    CAPTURE(signal);
    const auto begin = std::chrono::steady_clock::now();
    const auto out = runner::run_many({fake_run(signal), fake_run("never started")}, fake_simulate);
    CHECK(out[0].status == Status::interrupted);
    CHECK(out[1].status == Status::interrupted);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(30));
  }
}

TEST_CASE("an interrupted run that does not stop in time is killed") {
  runner::Options options;
  options.patience_s = 0.1;
  const auto begin = std::chrono::steady_clock::now();
  CHECK(runner::run_one(fake_run("Ctrl-C"), fake_simulate, options).status == Status::interrupted);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(30));
}

TEST_CASE("what a run measured before it failed comes back, incomplete") {
  const Outcome out = outcome_of("throw late");
  CHECK(out.status == Status::failed);
  CHECK(out.incomplete);
  CHECK(out.rows.rows.size() == 1);
  CHECK_FALSE(outcome_of("problem").incomplete);
}

TEST_CASE("who watches is told the rows and the simulated time of what is under way") {
  runner::Options options;
  std::int64_t rows = 0;
  Time simulated;
  int done = 0, all = 0;
  options.watch = [&](const runner::Glance& glance) {
    done = glance.done;
    all = glance.all;
    rows = glance.rows;
    simulated = glance.simulated;
  };
  CHECK(runner::run_one(fake_run("watched"), fake_simulate, options).status == Status::ok);
  CHECK(rows == 2);
  CHECK(simulated == 7_us);
  CHECK(done == 2);
  CHECK(all == 5);
  CHECK(runner::overseen() == nullptr);
}

TEST_CASE("a signal that is ignored, as by nohup, interrupts nothing") {
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
    const auto before = std::signal(signal, SIG_IGN);
    {
      runner::InterruptWatch watch;
      std::raise(signal);
      CHECK_FALSE(watch.take());
      std::raise(signal == SIGTERM ? SIGHUP : SIGTERM);
      CHECK(watch.take());
    }
    std::signal(signal, before);
  }
}

TEST_CASE("an attempt that ends with findings is followed by another, costs add up, packets do not") {
  const Outcome out = outcome_of("learn");
  REQUIRE(out.status == Status::ok);
  CHECK(out.findings.empty());
  CHECK(out.rows.rows.size() == 1);
  CHECK(out.cost.wakeups == 3 * 11);
  CHECK(out.cost.packet_hops == 22);
}

TEST_CASE("children die with their parent") {
  std::array<int, 2> alive{};  // its writing end is open while any of the processes below lives
  REQUIRE(::pipe(alive.data()) == 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    runner::run_one(fake_run("loop"),
                    [&](const RunConfig& run, const std::string& findings, report::Recorder& recorder) {
                      if (::write(alive[1], "x", 1) != 1) ::_exit(1);
                      return fake_simulate(run, findings, recorder);
                    });
    ::_exit(0);
  }
  ::close(alive[1]);
  char started = 0;
  REQUIRE(::read(alive[0], &started, 1) == 1);
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  CHECK(::read(alive[0], &started, 1) == 0);  // end of file: all are gone; a surviving child would block this
  ::close(alive[0]);
}

TEST_CASE("what a simulation prints is kept out of standard output") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  std::cout.flush();  // what the test driver has printed so far stays where it belongs
  std::fflush(stdout);
  const int saved = ::dup(STDOUT_FILENO);
  ::dup2(ends[1], STDOUT_FILENO);
  runner::run_one(fake_run("a"), [](const RunConfig&, const std::string&, report::Recorder&) {
    std::printf("(this line of a test belongs on standard error)\n");
    return runner::Counts{};
  });
  ::dup2(saved, STDOUT_FILENO);
  ::close(saved);
  ::close(ends[1]);
  std::array<char, 16> buffer{};
  CHECK(::read(ends[0], buffer.data(), buffer.size()) == 0);
  ::close(ends[0]);
}

}  // namespace runner_run_test
