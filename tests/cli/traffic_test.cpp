// SPDX-License-Identifier: Apache-2.0
// Traffic as a user meets it: what does not fit is refused before time 0, at its place; windows stand below the rows.
#include "support/catch.hpp"
#include "support/program.hpp"

namespace cli_traffic_test {

using namespace tsunagi::test;

namespace {

/// The ring of 16 with one short load, and more.
std::vector<std::string> ring(const std::vector<std::string>& sets, const std::vector<std::string>& more = {}) {
  std::vector<std::string> out{"run",   TSUNAGI_TEST_CONFIGS "/runs/ring_traffic.json",
                               "--set", R"(/scenario/loads=["20 %"])",
                               "--set", R"(/scenario/window="1 us")"};
  for (const std::string& s : sets) out.insert(out.end(), {"--set", s});
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

void expect_refused(const std::vector<std::string>& sets, const std::string& says) {
  const Ended end = run_program(ring(sets));
  CAPTURE(sets, end.err);
  CHECK(end.exit_code == 2);
  CHECK(end.out.empty());
  CHECK_THAT(end.err, Catch::Contains(says));
}

}  // namespace

TEST_CASE("traffic that its ranks cannot offer is refused") {
  const std::string bursts = R"(/scenario/arrivals="bursts")";
  expect_refused({bursts, "/scenario/burst=3", R"(/scenario/loads=["75.1 %"])"},
                 "/scenario/loads: \"75.1 %\" is more than 3/4 of the injection rate");
  expect_refused({bursts, "/scenario/burst=1000000", R"(/scenario/loads=["0.01 %"])"},
                 "\"0.01 %\" is less than a burst every 50 ms");
  expect_refused({"/scenario/rates=[1000000, 1]", R"(/scenario/loads=["0.0001 %"])", "/scenario/size=\"1 MiB\""},
                 "is less than a message every 10 s of the rank that sends least");
  expect_refused({"/scenario/rates=[1000000, 1]", R"(/scenario/loads=["0.1 %"])", R"(/scenario/arrivals="bernoulli")"},
                 "is less than a message every 50 ms of the rank that sends least");
  expect_refused({"/scenario/rates=[1, 2, 3]"}, "/scenario/rates: 3 rates for 16 ranks");
  expect_refused({"/scenario/rates=[-1]"}, "/scenario/rates");
  expect_refused({R"(/scenario/pattern="shift")", "/scenario/distance=32"}, "nobody would send");
  expect_refused({R"(/scenario/pattern="nearest_neighbour")", "/scenario/open=[1]"}, "there is no dimension 1");
  CHECK(run_program(ring({bursts, "/scenario/burst=3", R"(/scenario/loads=["75 %"])"})).exit_code == 0);
}

TEST_CASE("the name of a network that has none is refused") {
  expect_refused({R"(/library/network="tree")"},
                 "/library/network: the machine's only network has no name: leave out \"network\"");
}

TEST_CASE("a matrix and the pattern of that name go together") {
  const std::string pattern = R"(/scenario/pattern="matrix")";
  expect_refused({pattern}, "pattern \"matrix\" needs a \"matrix\"");
  expect_refused({R"(/scenario/matrix=["0 1"])"}, "\"matrix\" is for pattern \"matrix\"");
  expect_refused({pattern, R"(/scenario/matrix=["0 1"])", "/scenario/rates=[1]"}, "no \"rates\"");
  expect_refused({pattern, R"(/scenario/matrix=["0 1"])"}, "/scenario/matrix: has 1 row for 16 ranks");
  const Ended end = run_program({"run", TSUNAGI_TEST_CONFIGS "/runs/crossbar_matrix.json", "--set",
                                 R"(/scenario/matrix/3="0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0")"});
  CHECK(end.exit_code == 2);
  CHECK_THAT(end.err, Catch::Contains("/scenario/matrix/3") && Catch::Contains("rank 3 would send to itself"));
}

TEST_CASE("what changes nothing, or names nothing, is told") {
  const std::string run = TSUNAGI_TEST_CONFIGS "/runs/ring_traffic.json";
  const auto varied = [&](const std::string& vary, const std::string& title) {
    return run_program({"run", run, "--set", R"(/scenario/loads=["20 %"])", "--set", R"(/scenario/window="1 us")",
                        "--set", "/title=" + title, "--vary", vary});
  };
  const Ended idle = varied("/options/seed=1,2", "rings");
  CHECK(idle.exit_code == 0);
  CHECK_THAT(idle.err,
             Catch::Contains("note: seed changes nothing: all rows are the same whatever it is; nothing in this "
                             "run is drawn from it\n"));
  CHECK_THAT(varied("/scenario/seed=1,2", "{seed} seeds").err,
             !Catch::Contains("note:") && !Catch::Contains("warning:"));
  CHECK_THAT(varied("/scenario/seed=1,2", "{sed} seeds").err,
             Catch::Contains("warning: names {sed}, which is no axis; did you mean \"seed\"?"));
}

TEST_CASE("a saturated load says what has no mean and why, in every format") {
  const std::vector<std::string> beyond = {R"(/scenario/loads=["20 %", "60 %"])"};
  CHECK_THAT(run_program(ring(beyond)).out,
             Catch::Contains("\n- mean, half_width: messages wait ever longer at this load"));
  const Ended csv = run_program(ring(beyond, {"--format", "csv"}));
  CHECK_THAT(csv.out, Catch::Contains(",mean_fs,") && Catch::Contains(",half_width_fs,"));
  CHECK_THAT(run_program(ring(beyond, {"--format", "json"})).out, Catch::Contains("\"mean_fs\": null"));
}

TEST_CASE("windows stand below the table and in csv instead of it and change no row") {
  const std::vector<std::string> shift = {R"(/scenario/pattern="shift")"};
  const Ended rows = run_program(ring(shift));
  const Ended table = run_program(ring(shift, {"--accounts"}));
  CHECK_THAT(table.out, Catch::StartsWith(rows.out) && Catch::Contains("\nrow  messages ") &&
                            Catch::Contains("\nrow  senders ") && Catch::Contains("\nrow  directions  idle ") &&
                            Catch::Contains("\nrow  busiest wires "));
  const Ended csv = run_program(ring(shift, {"--accounts", "--format", "csv"}));
  CHECK_THAT(csv.out, Catch::Contains("wires,idle,16,") && Catch::Contains("latency,p99.99,"));
}

}  // namespace cli_traffic_test
