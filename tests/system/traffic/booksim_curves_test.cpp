// SPDX-License-Identifier: Apache-2.0
// The input-queued router's latency under load against recorded runs of BookSim 2: docs/routers.md names the source.
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "system/simulated.hpp"

namespace booksim_curves_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// Mean latency in cycles of 1 ns at each of `loads`, infinite where it runs away, in the 8x8 mesh with BookSim's own
/// defaults.
std::vector<double> mean_cycles(const std::string& routes, const std::string& loads) {
  std::vector<double> out;
  for (const report::Row& r : rows_of("torus_traffic", {{"/machine/topology/kind", "\"mesh\""},
                                                        {"/machine/topology/routes", '"' + routes + '"'},
                                                        {"/machine/topology/router/kind", "\"input_queued_router\""},
                                                        {"/machine/topology/router/turns", "\"inputs\""},
                                                        {"/machine/topology/router/latency", "4"},
                                                        {"/machine/topology/router/virtual_channels", "16"},
                                                        {"/machine/topology/router/buffer_flits", "8"},
                                                        {"/machine/topology/router/output_buffer_flits", "8"},
                                                        {"/machine/topology/wire/virtual_channels", "16"},
                                                        {"/machine/topology/wire/flight", "\"1 ns\""},
                                                        {"/machine/topology/wire/max_payload", "\"8 B\""},
                                                        {"/machine/topology/terminal/send_latency", "0"},
                                                        {"/machine/topology/terminal/receive_latency", "0"},
                                                        {"/scenario/size", "\"8 B\""},
                                                        {"/scenario/arrivals", "\"bernoulli\""},
                                                        {"/scenario/warm_up", "\"2 us\""},
                                                        {"/scenario/window", "\"4 us\""},
                                                        {"/scenario/loads", loads}})
                                  .rows)
    out.push_back(r.find("mean") == nullptr ? std::numeric_limits<double>::infinity()
                                            : static_cast<double>(cell<Time>(r, "mean").fs()) / 1e6);
  return out;
}

/// Each within 5 %: the recorded means are themselves of some ten thousand cycles.
void expect_near(const std::vector<double>& simulated, const std::vector<double>& recorded) {
  REQUIRE(simulated.size() == recorded.size());
  for (std::size_t i = 0; i < simulated.size(); ++i) {
    CAPTURE(i);
    CHECK(simulated[i] == Approx(recorded[i]).epsilon(0.05));
  }
}

}  // namespace

TEST_CASE("an 8x8 mesh with dimension-order routes has BookSim's latencies and saturates where it does") {
  const std::vector<double> means = mean_cycles("dimension_order", R"(["1 %", "30 %", "40 %", "43 %"])");
  // 7 + 5 (n - 1) cycles over n routers; 5.25 hops with those to oneself, of which there are none here.
  const double zero_load = 7 + 5 * 5.25 * 64 / 63;
  CHECK(means[0] == Approx(zero_load).epsilon(0.02));
  expect_near({means.begin() + 1, means.end() - 1}, {36.4722, 46.7399});
  CHECK(means[2] < 2 * zero_load);  // recorded: doubled between 41.4 and 41.6 %
  CHECK(means[3] > 2 * zero_load);
}

TEST_CASE("an 8x8 mesh with Valiant's routes has BookSim's latencies and saturates where it does") {
  const std::vector<double> means = mean_cycles("valiant", R"(["1 %", "15 %", "18 %", "22 %"])");
  const double zero_load = 7 + 5 * 10.5;
  CHECK(means[0] == Approx(zero_load).epsilon(0.02));
  expect_near({means.begin() + 1, means.end() - 1}, {65.1903, 70.6833});
  CHECK(means[2] < 2 * zero_load);  // recorded: doubled at 21 %
  CHECK(means[3] > 2 * zero_load);
}

}  // namespace booksim_curves_test
