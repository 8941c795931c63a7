// SPDX-License-Identifier: Apache-2.0
// Bounds beside results: machines whose halves differ, messages that are shorter than what credits allow at once, and
// sources and targets in the chip's own memory. None of them beats its bounds, and the bounds are near.
#include "support/catch.hpp"
#include "support/print.hpp"
#include "system/simulated.hpp"

namespace bounds_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

const std::string node0 = "/machine/topology/devices/node0/devices/";
const std::string cable = "/machine/topology/links/0/wire/";

/// The lowest of a run's ceilings in one direction, bytes a second.
double lowest(const report::Rows& rows, bool back) {
  for (const report::Ceiling& c : rows.ceilings)
    if (c.back == back) return c.rate.bytes_per_second();
  return 0;
}

double bandwidth(const report::Rows& rows) {
  const report::Row& last = rows.rows.back();
  return static_cast<double>(cell<Bytes>(last, "size").count()) * 1e15 /
         static_cast<double>(cell<Time>(last, "latency").fs());
}

/// A run (which fails if it beats a bound) whose directions differ: faster than the slower one alone allows, and not by
/// far slower than both together do.
void expect_between(const report::Rows& rows) {
  const double there = lowest(rows, false), back = lowest(rows, true);
  const double both = 2 / (1 / there + 1 / back);
  CHECK(there < 0.8 * back);
  CHECK(bandwidth(rows) > there);
  CHECK(bandwidth(rows) < both);
  CHECK(bandwidth(rows) > 0.8 * both);
}

}  // namespace

TEST_CASE("a pair of which one node reads more slowly is bound in each direction") {
  expect_between(rows_of("tca_gpu_dma_ping_pong", {{"/scenario/sizes", R"(["64 KiB"])"},
                                                   {"/scenario/iterations", "1"},
                                                   {"/scenario/warm_up", "0"},
                                                   {node0 + "rc/peer_reads", "2"}}));
  expect_between(rows_of("tca_dma_ping_pong", {{"/scenario/sizes", R"(["256 KiB"])"},
                                               {"/scenario/iterations", "1"},
                                               {"/scenario/warm_up", "0"},
                                               {node0 + "peach2/dma/tags", "1"},
                                               {node0 + "peach2/dma/max_read_request", "1 KiB"}}));
}

TEST_CASE("a message shorter than the buffer at a long cable's end waits for no credit") {
  // One packet of credits an up and down of the cable, 20 us; the message needs one way.
  const report::Rows rows =
      rows_of("tca_pio_ping_pong", {{"/scenario/sizes", R"(["64 B"])"},
                                    {"/scenario/iterations", "1"},
                                    {"/scenario/warm_up", "0"},
                                    {cable + "flight", "10 us"},
                                    {node0 + "peach2/buffers/posted_headers", "1"},
                                    {"/machine/topology/devices/node1/devices/peach2/buffers/posted_headers", "1"}});
  CHECK(bandwidth(rows) > lowest(rows, false));
  CHECK(cell<Time>(rows.rows[0], "latency") < 12_us);
}

TEST_CASE("what comes from the chip's own memory or goes there is not bound by the host") {
  for (const char* place : {"source", "target"}) {
    const report::Rows rows = rows_of("tca_dma_ping_pong", {{"/scenario/sizes", R"(["256 KiB"])"},
                                                            {"/scenario/iterations", "1"},
                                                            {"/scenario/warm_up", "0"},
                                                            {std::string("/scenario/") + place, "chip"},
                                                            {node0 + "rc/completion_latency", "10 us"}});
    for (const report::Ceiling& c : rows.ceilings) {
      CAPTURE(place, c.name);
      CHECK((std::string(place) == "target" || c.name.find("completions") == std::string::npos));
      CHECK((std::string(place) == "source" || c.name.find("peach2.n") == std::string::npos));
    }
  }
}

}  // namespace bounds_test
