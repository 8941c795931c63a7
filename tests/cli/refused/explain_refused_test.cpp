// SPDX-License-Identifier: Apache-2.0
// What a user gets wrong with `tsunagi explain`, what fails, and Ctrl-C.

#include "support/catch.hpp"
#include "support/orphans.hpp"
#include "support/program.hpp"
#include "support/refused.hpp"

namespace explain_refused_test {

using namespace tsunagi::test;

namespace {

const std::string configs = TSUNAGI_TEST_CONFIGS;
const std::string pio = configs + "/runs/tca_pio_ping_pong.json";
const std::string ring = configs + "/runs/ring_traffic.json";

/// A wrong call, also when it is asked why it is not faster.
void expect_explain_refused(std::vector<std::string> arguments, const std::string& says) {
  arguments.insert(arguments.begin(), "explain");
  expect_refused(arguments, says);
  arguments.insert(arguments.end(), {"--why-not-faster", "-q"});  // on a busy machine it says how far it is
  expect_refused(arguments, says);
}

}  // namespace

TEST_CASE("explain of no run, of none that is there, and of what is none") {
  expect_explain_refused({}, "which run? usage: tsunagi explain RUN.json");
  expect_explain_refused({"nowhere.json"}, "nowhere.json: cannot be read: No such file");
  expect_explain_refused({configs + "/machines/tca_pair.json"}, "is no run, but of type \"machine\"");
  expect_explain_refused({pio, ring}, "unexpected \"" + ring + "\"");
}

TEST_CASE("explain of a size that is none, or that does not fit") {
  expect_explain_refused({pio, "--size", "8"}, "--size: \"8\" needs a unit, for example \"256 B\"");
  expect_explain_refused({pio, "--size", "8 ns"}, "--size: unknown unit \"ns\"");
  expect_explain_refused({pio, "--size", "-8 B"}, "--size: \"-8 B\" is negative");
  expect_explain_refused({pio, "--size", "0 B"}, "has at least 1 B");
  expect_explain_refused({pio, "--size", "8 TiB"}, "but the window holds");
  expect_explain_refused({pio, "--size"}, "--size");
}

TEST_CASE("explain of a method that there is not") {
  expect_explain_refused({pio, "--method", "pigeon"}, "the library has no method \"pigeon\"; methods: pio, dma");
  expect_explain_refused({ring, "--method", "pio"}, "--method: this scenario has no methods");
}

TEST_CASE("explain with a number of wires or jobs that makes no sense") {
  expect_explain_refused({pio, "--links", "-1"}, "--links must not be negative");
  expect_explain_refused({pio, "--links", "many"}, "--links");
  expect_explain_refused({pio, "--jobs", "0"}, "--jobs needs a number from 1 on");
}

TEST_CASE("explain with an option, a format or a value that is misspelt") {
  expect_explain_refused({pio, "--sise", "8 B"}, "did you mean \"--size\"");
  expect_explain_refused({pio, "--why-not-fast"}, "did you mean \"--why-not-faster\"");
  expect_explain_refused({pio, "--format", "jsn"}, "did you mean \"json\"");
  expect_explain_refused({pio, "--set", "/scenario/iteration=3"}, "did you mean \"iterations\"");
  expect_explain_refused({pio, "--out", "/nonexistent/why.txt"}, "/nonexistent");
}

TEST_CASE("explain of a run that fails tells why") {
  const Ended end = run_program({"explain", pio, "--set", "/options/limit_simulated_time=\"1 us\""});
  CHECK(end.exit_code == 1);
  CHECK(end.out.empty());
  CHECK_THAT(end.err,
             Catch::StartsWith("tsunagi explain: " + pio) && Catch::Contains("limit of simulated time, 1 us\n"));
}

TEST_CASE("Ctrl-C ends explain with 130 and leaves no process") {
  const Orphans orphans;
  Surroundings impatient;
  impatient.interrupt_after_ms = 300;
  for (const char* more : {"--links=4", "--why-not-faster"}) {
    const Ended end = run_program({"explain", pio, more, "--set", "/scenario/iterations=1000000"}, impatient);
    CHECK(end.exit_code == 130);
    CHECK(end.out.empty());
    CHECK(orphans.none());
  }
}

}  // namespace explain_refused_test
